"""Rules, checks and the builder of findings, with fake events; and the pages."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from compilelint import checks
from compilelint.events import Branch, Call, Context, DynamoConfig, Event, RootKind, Site
from compilelint.model import Confidence, Effect, Finding, Location, Related, Rule, Span
from compilelint.rulebook import (
    FAILED_CHECK,
    TOOL_RULES,
    Check,
    Rulebook,
    RulebookError,
    at,
    check,
    nearest,
    pages,
    parse_page,
)
from compilelint.syntax import ir, places
from compilelint.torchfacts import SyntaxForm, TorchFacts, load
from compilelint.values import UNKNOWN, Origin, OriginKind

RULE = Rule("CL101", "branch-on-tensor", "the branch depends on tensor data", Effect.GRAPH_BREAK)
OTHER = Rule("CL102", "host-read", "tensor data is read into Python", Effect.GRAPH_BREAK, more_effects=(Effect.SYNC,))
MODULE = ir.Module("/p/m.py", "m", False, (), {})


@pytest.fixture(scope="module")
def facts() -> TorchFacts:
    return load("2.13")


def site(
    line: int = 3, cap: Confidence = Confidence.CERTAIN, kind: RootKind = "forward", fullgraph: bool = False
) -> Site:
    config = DynamoConfig(fullgraph=fullgraph)
    root = Context(MODULE, "Net.forward", True, "Net.forward", kind, config=config)
    inner = Context(MODULE, "helper", True, "Net.forward", kind, root, places.pack(8, 4, 8, 10), config)
    return Site(inner, places.pack(line, 4, line, 8), cap=cap)


def branch(facts: TorchFacts, at_site: Site | None = None) -> Branch:
    return Branch(at_site or site(), facts.syntax(SyntaxForm.IF), "if", UNKNOWN)


@check(RULE, on=Branch)
def says_once(event: Branch, facts: TorchFacts) -> Iterator[Finding]:
    yield at(RULE, event, f"`{event.keyword}`")


@check(OTHER, on=(Branch, Call))
def fails(event: Branch | Call, facts: TorchFacts) -> Iterator[Finding]:
    yield at(OTHER, event, "said before the fault")
    raise KeyError("no such thing\nand more")


# ----------------------------------------------------------------- rulebook


def test_a_check_gets_only_the_events_it_asked_for(facts: TorchFacts) -> None:
    book = Rulebook((says_once,))
    call = Call(site(), None, "torch.add", None, (), {}, UNKNOWN)
    assert [found.message for found in book.findings_for(branch(facts), facts)] == ["`if`"]
    assert list(book.findings_for(call, facts)) == []


def test_rules_are_sorted_and_those_about_the_tool_are_among_them() -> None:
    assert [rule.code for rule in Rulebook((fails, says_once)).rules] == [
        "CL101",
        "CL102",
        *(rule.code for rule in TOOL_RULES),
    ]


def test_a_failing_check_costs_its_own_rule_only(facts: TorchFacts) -> None:
    found = list(Rulebook((fails, says_once)).findings_for(branch(facts), facts))
    assert [one.rule for one in found] == [RULE, FAILED_CHECK]
    assert found[1].message == "rule CL102 (host-read) failed here: KeyError: 'no such thing\\nand more'"
    assert found[1].location == Location("/p/m.py", Span(3, 5, 3, 9))
    assert found[1].severity.label == "error"


def test_a_check_interrupted_by_the_user_is_no_failing_check(facts: TorchFacts) -> None:
    def interrupted(event: Event, facts: TorchFacts) -> Iterator[Finding]:
        raise KeyboardInterrupt
        yield

    with pytest.raises(KeyboardInterrupt):
        list(Rulebook((Check(RULE, (Branch,), interrupted),)).findings_for(branch(facts), facts))


@pytest.mark.parametrize(
    ("rule", "key"),
    [
        pytest.param(Rule("CL101", "another-name", "", Effect.SLOW), "CL101", id="one code for two rules"),
        pytest.param(Rule("CL190", "branch-on-tensor", "", Effect.SLOW), "branch-on-tensor", id="one name for two"),
        pytest.param(Rule("CL901", "mine", "", Effect.TOOL), "CL901", id="a code of the tool"),
    ],
)
def test_two_rules_never_share_a_code_or_a_name(rule: Rule, key: str) -> None:
    with pytest.raises(RulebookError, match=f"two rules are called {key}"):
        Rulebook((says_once, Check(rule, (Branch,), says_once.function)))


def test_a_rule_may_have_several_checks() -> None:
    assert Rulebook((says_once, Check(RULE, (Call,), fails.function))).rules[0] is RULE


def test_only_keeps_the_checks_of_the_named_rules(facts: TorchFacts) -> None:
    book = Rulebook((fails, says_once)).only([RULE])
    assert [one.rule for one in book.findings_for(branch(facts), facts)] == [RULE]


def test_a_rule_is_found_by_code_and_name_in_any_case() -> None:
    book = Rulebook((says_once,))
    assert book.rule("cl101") is book.rule("Branch-On-Tensor") is RULE
    assert book.rule("CL1") is None
    assert nearest("branch-on-tenser", book.rules) == "branch-on-tensor"
    assert nearest("zzzzzzzz", book.rules) is None


# -------------------------------------------------------------------- finding


def test_a_finding_carries_place_function_root_chain_and_break_id(facts: TorchFacts) -> None:
    found = at(RULE, branch(facts), "x", why="w", help="h")
    assert found.location == Location("/p/m.py", Span(3, 5, 3, 9))
    assert (found.function, found.roots, found.break_ids) == ("helper", ("Net.forward",), ("GB0170",))
    assert [(step.function, step.location.span) for step in found.call_chain] == [("Net.forward", Span(8, 5, 8, 11))]
    assert (found.why, found.help, found.confidence) == ("w", "h", Confidence.CERTAIN)


@pytest.mark.parametrize(
    ("claimed", "cap", "got"),
    [
        (Confidence.CERTAIN, Confidence.LIKELY, Confidence.LIKELY),
        (Confidence.POSSIBLE, Confidence.LIKELY, Confidence.POSSIBLE),
        (Confidence.CERTAIN, Confidence.CERTAIN, Confidence.CERTAIN),
    ],
)
def test_the_site_caps_the_confidence(facts: TorchFacts, claimed: Confidence, cap: Confidence, got: Confidence) -> None:
    assert at(RULE, branch(facts, site(cap=cap)), "x", confidence=claimed).confidence is got


def test_under_fullgraph_a_break_is_an_error_too(facts: TorchFacts) -> None:
    assert at(RULE, branch(facts, site(fullgraph=True)), "x").effects == (Effect.ERROR, Effect.GRAPH_BREAK)
    assert at(RULE, branch(facts), "x").effects == (Effect.GRAPH_BREAK,)


def test_a_root_that_nothing_reaches_says_so(facts: TorchFacts) -> None:
    assert at(RULE, branch(facts, site(kind="unreached")), "x").roots == ("Net.forward (unreached)",)


def test_origins_become_related_places_once_each_and_never_the_findings_own(facts: TorchFacts) -> None:
    first = Origin("annotated `Tensor`", (MODULE, places.pack(1, 6, 1, 7)))
    here = Origin(">", (MODULE, places.pack(3, 4, 3, 8)), first, OriginKind.RESULT)
    extra = Related(Location("/p/n.py", Span(1, 1, 1, 2)), "defined here")
    found = at(RULE, branch(facts), "x", because=[here, None, first, extra])
    assert [(one.location.path, one.location.span.line, one.text) for one in found.related] == [
        ("/p/m.py", 1, "annotated `Tensor`"),
        ("/p/n.py", 1, "defined here"),
    ]


def test_a_finding_without_a_place_is_refused(facts: TorchFacts) -> None:
    with pytest.raises(ValueError, match="needs a place"):
        at(RULE, branch(facts, site(line=0)), "x")


# ---------------------------------------------------------------------- pages

PAGE = """# Branch on tensor

## What it finds
A branch.
```python
## What it finds
# not a heading either
```
## Why it matters
It breaks.
## Bad
```python
if x: ...
```
## Good
ok
## Run with
x
"""


def test_headings_inside_code_are_code() -> None:
    page = parse_page(PAGE, "CL101-branch-on-tensor.md")
    assert (page.code, page.name) == ("CL101", "branch-on-tensor")
    assert list(page.sections) == ["What it finds", "Why it matters", "Bad", "Good", "Run with"]
    assert page.sections["What it finds"].endswith("# not a heading either\n```")
    assert page.sections["Bad"] == "```python\nif x: ...\n```"


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ("## Good", "## Better", "unknown heading 'Better'"),
        ("## Run with\nx\n", "", "no heading 'Run with'"),
    ],
)
def test_a_page_with_other_headings_is_refused(old: str, new: str, complaint: str) -> None:
    with pytest.raises(RulebookError, match=complaint) as raised:
        parse_page(PAGE.replace(old, new), "CL101-branch-on-tensor.md")
    assert raised.value.where == "rules/CL101-branch-on-tensor.md"


def test_two_pages_of_one_code_are_refused(tmp_path: Path) -> None:
    for name in ("CL101-one.md", "CL101-two.md"):
        (tmp_path / name).write_text(PAGE, encoding="utf-8")
    with pytest.raises(RulebookError, match="CL101 has two pages"):
        pages(tmp_path)


def test_the_shipped_rules_do_not_contradict_each_other() -> None:
    codes = [rule.code for rule in checks.rulebook().rules]
    assert codes == sorted(set(codes))
    assert {"CL101", "CL102", "CL120", "CL901"} <= set(codes)
