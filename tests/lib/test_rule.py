"""Rules of packs in the product: findings, fixes, suppression, configuration, reports, caches; one that fails."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from compilelint.config import Options
from compilelint.lib import Confidence
from compilelint.model import Finding, Severity
from compilelint.report.formats import render
from compilelint.session.commands.fix import fix, unified
from compilelint.session.commands.lint import lint
from tests.lib.programs import MODEL, RULE, write


def options(folder: Path, rule: str = RULE, model: str = MODEL) -> Options:
    """A lint of the model by the rule alone, which lies outside of what is linted."""
    write(folder / "rules", team=rule)
    return Options((str(write(folder / "src", net=model)),), packs=(str(folder / "rules"),), select=("TEAM",))


def found(asked: Options) -> list[Finding]:
    return list(lint(asked).findings)


def test_a_report_becomes_a_finding(tmp_path: Path) -> None:
    (one,) = found(options(tmp_path))
    assert (one.rule.code, one.rule.name, one.message) == ("TEAM001", "item-call", "`.item()` of a tensor")
    assert one.location.span == (14, 20, 14, 34)
    assert (one.function, one.roots) == ("Net.forward", ("Net.forward",))
    assert (one.confidence, one.severity) == (Confidence.CERTAIN, Severity.WARNING)
    assert "result of `.sum`" in one.why


def test_the_fix_is_applied_where_unsafe_ones_are_wanted(tmp_path: Path) -> None:
    asked = options(tmp_path)
    changed = unified(fix(asked, unsafe=True), lambda path: Path(path).name)
    assert "-            return y.sum().item()\n+            return y.sum()\n" in changed
    assert not fix(asked, unsafe=False).texts


@pytest.mark.parametrize(
    ("written", "after"),
    [
        pytest.param("return 2 ** y.sum().item()", "return 2 ** y.sum()", id="an operand"),
        pytest.param("return (y.sum().item())", "return (y.sum())", id="parentheses stay"),
        pytest.param("return (y + 1).item() ** 2", "return (y + 1) ** 2", id="those of the new one come along"),
    ],
)
def test_a_fix_keeps_what_binds(tmp_path: Path, written: str, after: str) -> None:
    asked = options(tmp_path, model=MODEL.replace("return y.sum().item()", written))
    (text,) = [text for _, text in fix(asked, unsafe=True).texts.values()]
    assert after in text


def test_a_comment_suppresses_it_and_an_unused_one_is_reported(tmp_path: Path) -> None:
    model = MODEL.replace("return y.sum().item()", "return y.sum().item()  # compilelint: ignore[TEAM001] wanted")
    report = lint(options(tmp_path, model=model))
    assert (list(report.findings), report.suppressed) == ([], 1)
    asked = replace(options(tmp_path, model=model.replace(".item()", "")), select=("TEAM", "CL902"))
    assert [one.rule.code for one in found(asked)] == ["CL902"]


def test_the_configuration_selects_and_weighs_it(tmp_path: Path) -> None:
    asked = options(tmp_path)
    assert [one.severity for one in found(replace(asked, severity=(("TEAM001", Severity.NOTE),)))] == [Severity.NOTE]
    assert "TEAM001" not in {one.rule.code for one in found(replace(asked, select=("CL",)))}
    assert found(replace(asked, select=("item-call",)))
    assert "TEAM001" not in {one.rule.code for one in found(replace(asked, select=(), ignore=("TEAM",)))}


def test_sarif_brings_its_metadata_and_help(tmp_path: Path) -> None:
    report = lint(options(tmp_path))
    (run,) = json.loads(render(report, "sarif"))["runs"]
    (rule,) = [one for one in run["tool"]["driver"]["rules"] if one["id"] == "TEAM001"]
    assert rule["name"] == "ItemCall"
    assert "A call of `.item()` on a tensor." in rule["help"]["markdown"]
    assert "helpUri" not in rule
    assert [one["ruleId"] for one in run["results"]] == ["TEAM001"]


def test_a_page_beside_the_rule_is_its_page(tmp_path: Path) -> None:
    asked = options(tmp_path)
    (tmp_path / "rules" / "TEAM001-item-call.md").write_text("# TEAM001\n\n## What it finds\nOurs.\n", encoding="utf-8")
    (one,) = found(asked)
    assert one.rule.page.endswith("Ours.\n")


RAISING = RULE.replace(
    "        func = node.func\n", "        assert node is None, 'too bad'\n        func = node.func\n"
)


def test_a_rule_that_raises_costs_itself_in_that_file(tmp_path: Path) -> None:
    asked = options(tmp_path, rule=RAISING.replace("TEAM001", "TEAM002").replace("item-call", "raising"))
    write(tmp_path / "rules", good=RULE)
    report = lint(replace(asked, select=()))
    (failure,) = [one for one in report.findings if one.rule.code == "CL903"]
    assert failure.message == "rule TEAM002 (raising) of --rules team.py failed here: AssertionError: too bad"
    assert {"TEAM001", "CL101"} <= {one.rule.code for one in report.findings}


def test_a_fix_that_is_no_python_is_dropped(tmp_path: Path) -> None:
    rule = RULE.replace("fix=func.value", "fix=cst.Name('lambda')")
    (one,) = found(options(tmp_path, rule=rule))
    assert one.fix is None


def test_a_transformer_may_change_the_whole_file(tmp_path: Path) -> None:
    rule = RULE.replace("fix=func.value", "fix=NoRelu()") + (
        "\n\nclass NoRelu(cst.CSTTransformer):\n"
        "    def leave_Call(self, original_node, updated_node):\n"
        "        whole = isinstance(updated_node.func, cst.Attribute) and updated_node.func.attr.value == 'item'\n"
        "        return updated_node.func.value if whole else updated_node\n"
    )
    (text,) = [text for _, text in fix(options(tmp_path, rule=rule), unsafe=True).texts.values()]
    assert ".item()" not in text
    assert "def eager(x):\n    return x\n" in text


def test_a_second_run_takes_it_from_the_cache_until_the_rule_changes(tmp_path: Path) -> None:
    asked = replace(options(tmp_path), no_cache=False, cache_dir=str(tmp_path / "cache"))
    first = found(asked)
    assert found(asked) == first
    write(tmp_path / "rules", team=RULE.replace("`.item()` of a tensor", "another message entirely"))
    import sys

    for name in [name for name in sys.modules if name.startswith("compilelint_rules_")]:
        del sys.modules[name]
    assert [one.message for one in found(asked)] == ["another message entirely"]


METADATA = RULE.replace(
    "    words =", "    METADATA_DEPENDENCIES = (CompileState, ParentNodeProvider)\n    words ="
).replace(
    "import libcst as cst\n",
    "import libcst as cst\nfrom libcst.metadata import ParentNodeProvider\nfrom compilelint.lib import CompileState\n",
)


def test_metadata_of_libcst_is_there_for_rules_that_ask(tmp_path: Path) -> None:
    rule = METADATA.replace(
        "self.report(node,",
        "assert isinstance(self.get_metadata(ParentNodeProvider, node), cst.Return)\n"
        "            assert self.get_metadata(CompileState, func.value).is_tensor\n"
        "            self.report(node,",
    )
    assert [one.rule.code for one in found(options(tmp_path, rule=rule))] == ["TEAM001"]


def test_matchers_as_decorators_work(tmp_path: Path) -> None:
    rule = (
        RULE.replace("(Rule)", "(Rule, m.MatcherDecoratableVisitor)")
        .replace("import libcst as cst\n", "import libcst as cst\nimport libcst.matchers as m\n")
        .replace(
            "    def visit_Call(self", "    @m.visit(m.Call(func=m.Attribute(attr=m.Name('item'))))\n    def found(self"
        )
    )
    assert [one.rule.code for one in found(options(tmp_path, rule=rule))] == ["TEAM001"]


def test_a_rule_may_rest_below_a_node(tmp_path: Path) -> None:
    rule = RULE + "\n    def visit_If(self, node: cst.If) -> bool:\n        return False\n"
    assert not found(options(tmp_path, rule=rule))


def test_a_rule_about_parts_of_a_file_stands_where_the_whole_file_has_it(tmp_path: Path) -> None:
    rule = RULE.replace("    fixes = Safety.UNSAFE\n", "    whole = False\n").replace(", fix=func.value", "")
    model = MODEL.replace("class Net", "def first(x):\n    return x\n\n\n@decorated\nclass Net")
    (of_parts,) = found(options(tmp_path / "parts", rule=rule, model=model))
    (of_whole,) = found(options(tmp_path / "whole", rule=rule.replace("    whole = False\n", ""), model=model))
    assert of_parts.location.span == of_whole.location.span == (19, 20, 19, 34)
    assert replace(of_parts, location=of_whole.location, rule=of_whole.rule) == of_whole


ASKING = RULE.replace("    fixes = Safety.UNSAFE\n", "    beliefs = False\n").replace(", fix=func.value", "")
PLAIN = ASKING.replace(" and self.state(func.value).is_tensor", "").replace(
    "            state = self.state(func.value)\n", ""
)


def test_a_rule_that_says_it_never_asks_is_held_to_it(tmp_path: Path) -> None:
    (failed,) = lint(replace(options(tmp_path, rule=ASKING), select=("TEAM", "CL903"))).findings
    assert failed.message.endswith("ItemCall asks for a state: leave out `beliefs = False`")


def test_without_beliefs_the_function_around_stands_for_a_root(tmp_path: Path) -> None:
    plain = PLAIN.replace("why=state.why, confidence=state.confidence", "why=self.where(node)").replace(
        "    def visit_Call",
        """    def where(self, node: cst.Call) -> str:
        owner = self.around(cst.ClassDef)
        in_test = self.inside(cst.If) is not None
        return f"{'' if owner is None else self.defines(owner, 'forward')} {in_test}"

    def visit_Call""",
    )
    model = MODEL + "\n\nif eager(MODEL.item()):\n    MODEL.item()\n"
    assert [(one.roots, one.why) for one in found(options(tmp_path, rule=plain, model=model))] == [
        (("Net.forward",), "True True"),
        (("eager",), " False"),
        (("<module>",), " False"),
        (("<module>",), " True"),
    ]
