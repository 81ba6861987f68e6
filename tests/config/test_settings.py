"""Configuration files: which one holds, what each key takes, and one line with file and line for what is wrong."""

from __future__ import annotations

import time
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

from compilelint import checks
from compilelint.config import Options, Selection, Settings, UsageError, chosen_rules, settle
from compilelint.events import DynamoConfig
from compilelint.keys import KEYS
from compilelint.model import Confidence, Severity
from compilelint.torchfacts import Capture

RULES = checks.rulebook().rules


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def written(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(dedent(text), encoding="utf-8")
    return path


def options(*paths: str, **said: Any) -> Options:
    named = {name.replace("_", "-"): value for name, value in said.items() if name not in ("config", "isolated")}
    rest = {name: said[name] for name in ("config", "isolated") if name in said}
    return settle(paths or (".",), named, RULES, **rest).options


def codes(found: Options) -> set[str]:
    return {rule.code for rule in chosen_rules(RULES, found)}


# ----------------------------------------------------------------- which file


def test_the_nearest_file_of_either_name_holds(tmp_path: Path) -> None:
    written(tmp_path / "pyproject.toml", "[tool.compilelint]\nfail-on = 'note'\n")
    written(tmp_path / "a" / "pyproject.toml", "[project]\nname = 'a'\n")
    (tmp_path / "a" / "b").mkdir()
    assert options("a/b").config_file == f"{tmp_path.as_posix()}/pyproject.toml"
    written(tmp_path / "a" / "compilelint.toml", "fail-on = 'error'\n")
    assert options("a/b").fail_on is Severity.ERROR
    assert options("a/b", isolated=True).config_file is None


def test_compilelint_toml_beats_the_pyproject_beside_it(tmp_path: Path) -> None:
    written(tmp_path / "pyproject.toml", "[tool.compilelint]\nfail-on = 'note'\n")
    written(tmp_path / "compilelint.toml", "fail-on = 'error'\n")
    assert options().fail_on is Severity.ERROR


def test_several_projects_in_one_run_have_the_file_above_all_of_them(tmp_path: Path) -> None:
    written(tmp_path / "one" / "compilelint.toml", "fail-on = 'note'\n")
    (tmp_path / "two").mkdir()
    alone, both = options("one"), options("one", "two")
    assert (alone.fail_on, alone.notes) == (Severity.NOTE, ())
    assert both.fail_on is Severity.WARNING
    assert both.notes == (
        "one/compilelint.toml is not used: a run has one configuration, and this one uses none, "
        "as no file is above all the paths named",
    )
    written(tmp_path / "compilelint.toml", "fail-on = 'error'\n")
    both = options("one", "two")
    assert both.fail_on is Severity.ERROR
    assert both.notes[0].endswith("and this one uses compilelint.toml")


def test_a_broken_pyproject_that_never_names_us_is_passed_over(tmp_path: Path) -> None:
    written(tmp_path / "pyproject.toml", "[tool\n")
    assert options().config_file is None


# ------------------------------------------------------------ who says what


def test_the_command_line_beats_the_snippet_beats_the_file_beats_its_base(tmp_path: Path) -> None:
    written(
        tmp_path / "base.toml", "fail-on = 'note'\nmin-confidence = 'certain'\ntorch-version = '2.5'\nroots = ['all']\n"
    )
    written(
        tmp_path / "compilelint.toml",
        "extend = 'base.toml'\nmin-confidence = 'possible'\ntorch-version = '2.6'\nroots = ['x']\n",
    )
    found = options(config=("compilelint.toml", "torch-version = '2.7'", "roots = ['y']"), roots=("z",))
    assert found.fail_on is Severity.NOTE
    assert found.min_confidence == Confidence.POSSIBLE
    assert found.torch_version == "2.7"
    assert found.roots == ("z",)
    assert found.where("fail-on", "note") == "base.toml:1"
    assert found.where("min-confidence", "possible") == "compilelint.toml:2"
    assert found.where("roots", "z") == "--roots z"


def test_rules_are_chosen_layer_by_layer(tmp_path: Path) -> None:
    written(tmp_path / "compilelint.toml", "select = ['CL1']\nignore = ['CL101']\n")
    every = {rule.code for rule in RULES if rule.family == "CL1"} | {"CL901", "CL903"}
    assert codes(options()) == every - {"CL101"}
    assert codes(options(extend_select=("CL101",))) == every
    assert codes(options(select=("CL101",))) == {"CL101", "CL901", "CL903"}
    assert codes(options(ignore=("host-read",))) == every - {"CL101", "CL102"}
    assert options().selections == (Selection(("CL1",), (), ("CL101",)),)


def test_severity_and_per_file_ignores_are_united_line_by_line(tmp_path: Path) -> None:
    written(
        tmp_path / "base.toml", "severity = { CL101 = 'note', CL102 = 'note' }\nper-file-ignores = { a = ['CL1'] }\n"
    )
    written(
        tmp_path / "compilelint.toml",
        "extend = 'base.toml'\nseverity = { CL101 = 'error' }\nper-file-ignores = { b = ['CL2'] }\n",
    )
    found = options()
    assert found.severity == (("CL101", Severity.ERROR), ("CL102", Severity.NOTE))
    assert found.per_file_ignores == (("a", ("CL1",)), ("b", ("CL2",)))


def test_every_key_has_an_example_that_is_taken(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    written(tmp_path / "base.toml", "")
    (tmp_path / "p").mkdir()
    text = "\n".join(f"{key.name} = {key.example}" for key in KEYS)
    written(tmp_path / "p" / "compilelint.toml", text)
    found = settle(("p",), {}, RULES)
    assert [one.key for one in found.settings] == [key.name for key in KEYS]
    assert [one.origins for one in found.settings] == [
        (f"p/compilelint.toml:{number}",) for number, _ in enumerate(KEYS, 1)
    ]
    assert found.options.baseline == f"{tmp_path.as_posix()}/p/compilelint-baseline.json"
    assert found.options.exclude_base == found.options.project == f"{tmp_path.as_posix()}/p"
    assert found.options.dynamo == DynamoConfig(mode="reduce-overhead")


def test_dynamo_and_targets(tmp_path: Path) -> None:
    written(
        tmp_path / "pyproject.toml",
        """\
        [tool.compilelint.dynamo]
        fullgraph = true
        dynamic = false
        capture-scalar-outputs = true

        [[tool.compilelint.targets]]
        model = "pkg.m:build"
        inputs = [
          "2x3",
        ]
        """,
    )
    found = options()
    assert found.dynamo == DynamoConfig(True, False, frozenset({Capture.SCALAR}), False, None)
    (target,) = found.targets
    assert target.values == {"model": "pkg.m:build", "inputs": ["2x3"]}
    assert target.where("inputs", 0) == "pyproject.toml:9"
    assert target.where("inputs", 7) == "pyproject.toml:8"
    assert target.where("nothing") == "pyproject.toml:6"


def test_each_of_thousands_of_targets_knows_its_line_and_costs_the_same(tmp_path: Path) -> None:
    written(tmp_path / "compilelint.toml", '[[targets]]\nmodel = "a:b"\n' * 8_000)
    before = time.process_time()
    found = options().targets
    assert time.process_time() - before < 5  # 17 where every target looked through the lines of all
    assert [target.where("model") for target in (found[0], found[-1])] == [
        "compilelint.toml:2",
        "compilelint.toml:16000",
    ]


def test_nothing_is_said(tmp_path: Path) -> None:
    found = settle((".",), {"roots": (), "fail-on": None, "force-exclude": False}, RULES)
    assert isinstance(found, Settings)
    assert {one.origins for one in found.settings} == {()}
    assert found.options == Options((".",), project=tmp_path.as_posix())


# --------------------------------------------------------------- wrong files


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("slect = ['CL1']", "unknown key 'slect' (pyproject.toml:2); did you mean select?"),
        ("min_confidence = 'likely'", "unknown key 'min_confidence' (pyproject.toml:2); did you mean min-confidence?"),
        ("\nwhatever = 1", "unknown key 'whatever' (pyproject.toml:3); use one of: extend, select, "),
        ("ignore = [\n'CL101',\n'host-reed']", "unknown rule 'host-reed' (pyproject.toml:4); did you mean host-read?"),
        ("ignore = 'CL101'", "ignore is a string ('CL101') (pyproject.toml:2); write an array: ignore = ["),
        ("ignore = [1]", "ignore is a number (1) (pyproject.toml:2); write a string"),
        ("roots = ['']", "roots is empty (pyproject.toml:2); give it a value or remove the line"),
        ("force-exclude = 1", "force-exclude is a number (1) (pyproject.toml:2); write force-exclude = true or "),
        ("fail-on = 'warn'", "fail-on cannot be 'warn' (pyproject.toml:2); did you mean warning?"),
        (
            "min-confidence = 'sure'",
            "min-confidence cannot be 'sure' (pyproject.toml:2); use one of: certain, likely, ",
        ),
        ("follow-imports = 'porject'", "follow-imports cannot be 'porject' (pyproject.toml:2); did you mean project?"),
        ("torch-version = 2.9", "torch-version is a number (2.9) (pyproject.toml:2); write a string: torch-version = "),
        ("[tool.compilelint.severity]\nCL101 = 'warn'", "severity.CL101 cannot be 'warn' (pyproject.toml:3); did you "),
        (
            "[tool.compilelint.severity]\n\nCL10l = 'note'",
            "unknown rule 'CL10l' (pyproject.toml:4); did you mean CL101?",
        ),
        ("severity = 'note'", "severity is a string ('note') (pyproject.toml:2); write a table"),
        (
            "per-file-ignores = { a = 'CL1' }",
            "per-file-ignores.a is a string ('CL1') (pyproject.toml:2); write an array",
        ),
        ("dynamo = { fulgraph = true }", "unknown key 'dynamo.fulgraph' (pyproject.toml:2); did you mean fullgraph?"),
        ("dynamo = { mode = 'fast' }", "dynamo.mode cannot be 'fast' (pyproject.toml:2); use one of: default, "),
        ("compilers = ['a.b']", "compilers is an array (pyproject.toml:2); write a table: [tool."),
        (
            "compilers = { fast = 'wraps' }",
            "'fast' does not name a module and a function (pyproject.toml:2); write its ",
        ),
        ("compilers = { 'a.b' = 'wrap' }", "cannot be 'wrap' (pyproject.toml:2); did you mean wraps?"),
        ("targets = ['m']", "targets is a string ('m') (pyproject.toml:2); write [[tool.compilelint.targets]]"),
        ("extend = 'gone.toml'", "cannot read gone.toml: no such file or directory (pyproject.toml:2); name another"),
        ("extend = 'pyproject.toml'", "extend each other in a circle: pyproject.toml -> pyproject.toml"),
        ("a = ", "not valid TOML: invalid value (pyproject.toml:2); correct the line"),
    ],
)
def test_what_is_wrong_is_reported_with_file_line_and_hint(tmp_path: Path, text: str, complaint: str) -> None:
    written(tmp_path / "pyproject.toml", "[tool.compilelint]\n" + text + "\n")
    with pytest.raises(UsageError) as refused:
        options()
    assert complaint in str(refused.value)


@pytest.mark.parametrize(
    ("config", "complaint"),
    [
        ("gone.toml", "cannot read gone.toml: no such file or directory (--config); name another file"),
        ("pyproject.toml", "pyproject.toml has no [tool.compilelint] (--config); add the table or name another file"),
        (
            "fail-on = ",
            "neither a file nor valid TOML (--config 'fail-on = '); write a file name, or a key and its value",
        ),
        ("faul-on = 'error'", "unknown key 'faul-on' (--config \"faul-on = 'error'\"); did you mean fail-on?"),
    ],
)
def test_what_the_option_names_wrongly(tmp_path: Path, config: str, complaint: str) -> None:
    written(tmp_path / "pyproject.toml", "[project]\nname = 'x'\n")
    with pytest.raises(UsageError) as refused:
        options(config=(config,))
    assert complaint in str(refused.value)


def test_a_circle_of_two_files_is_shown_whole(tmp_path: Path) -> None:
    written(tmp_path / "compilelint.toml", "extend = 'b.toml'\n")
    written(tmp_path / "b.toml", "\nextend = 'compilelint.toml'\n")
    with pytest.raises(UsageError, match=r"circle: compilelint\.toml -> b\.toml -> compilelint\.toml .b\.toml:2."):
        options()


def test_a_file_that_is_not_utf_8(tmp_path: Path) -> None:
    (tmp_path / "compilelint.toml").write_bytes(b"# \xff\n")
    with pytest.raises(UsageError, match=r"the file is not UTF-8 .compilelint.toml:1.; save it as UTF-8"):
        options()
