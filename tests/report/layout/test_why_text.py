"""The page of `compilelint why`: what is shown of many ways, hostile texts, and the fence of a bundle."""

from __future__ import annotations

from dataclasses import replace

import pytest

from compilelint.model import CallSite, Confidence, Doubt, Finding, Location, Span
from compilelint.report.explanation import Belief, Explanation, Happening, Outcome, Test, Way
from compilelint.report.layout.why_text import bundle_text, why_text
from tests.report.samples import READ

PLACE = Location("/p/model.py", Span(3, 5, 3, 9))
CALLS = tuple(CallSite(replace(PLACE, span=Span(line, 1, line, 2)), f"f{line}") for line in range(1, 9))
WAY = Way(
    "Net.forward",
    "compiled at /p/main.py:7",
    CALLS[:1],
    (Belief("x", "tensor", "argument `x`"),),
    (Test(PLACE, "n > 1", "undecided: both ways are followed", "bool", lowered="likely, since it may be"),),
    "",
    (Belief("x.item()", "int"),),
    (Happening(PLACE, "call torch.Tensor.item", "ends the graph", ("CL102 host-read: likely",)),),
)
FINDING = Finding(READ, "`.item()` reads", READ.effects, Doubt.BEHIND_A_TEST.cap, PLACE, roots=("Net.forward",))
EXPLANATION = Explanation(
    PLACE, "x.item()", "Net.forward", (2, 4), "2.13.0 (installed)", "env", "src", "compilelint src",
    (Outcome(FINDING, "reported"),), (), (WAY,), (),
)  # fmt: skip


def page(explanation: Explanation, every_way: bool = False) -> list[str]:
    return why_text(explanation, False, None, every_way).splitlines()


def test_the_page_reads_from_the_outcome_to_the_ways() -> None:
    assert page(EXPLANATION) == [
        "/p/model.py:3  x.item()",
        "  in `Net.forward`, as `compilelint src` checks it for torch 2.13.0 (installed)",
        "",
        "Reported: warning[CL102] host-read: `.item()` reads (column 5)",
        "  - confidence: likely, since it is behind a test that cannot be decided",
        "  - reached from Net.forward",
        "",
        "1. from Net.forward: compiled at /p/main.py:7",
        "   called at /p/model.py:1 in `f1`",
        "   given:",
        "     x: tensor  <- argument `x`",
        "   tests on the way:",
        "     line 3 `n > 1`: undecided: both ways are followed; bool; lowers to likely, since it may be",
        "   on the line:",
        "     x.item(): int",
        "   what happens:",
        "     call torch.Tensor.item: ends the graph",
        "       -> CL102 host-read: likely",
    ]


def test_a_silence_is_a_list_of_sentences() -> None:
    silent = replace(EXPLANATION, outcomes=(), silence=("it is not reached", "nothing calls it"), ways=())
    assert page(silent)[3:] == ["Nothing is reported here.", "  - it is not reached.", "  - nothing calls it."]


@pytest.mark.parametrize(("every_way", "shown"), [(False, 3), (True, 5)])
def test_of_many_ways_the_first_are_shown_unless_all_are_wanted(every_way: bool, shown: int) -> None:
    lines = page(replace(EXPLANATION, ways=(WAY,) * 5), every_way)
    assert sum(line.endswith("from Net.forward: compiled at /p/main.py:7") for line in lines) == shown
    assert ("and 2 more ways: --all shows them" in lines) is not every_way


def test_of_a_long_way_the_first_calls_are_shown() -> None:
    lines = page(replace(EXPLANATION, ways=(replace(WAY, calls=CALLS),)))
    assert sum(line.startswith("   called at") for line in lines) == 6
    assert "   and 2 more calls" in lines


def test_a_way_that_stops_says_where_and_nothing_of_the_line() -> None:
    lines = page(replace(EXPLANATION, ways=(replace(WAY, stop="line 2 raises an error"),)))
    assert lines[-1] == "   not reached: line 2 raises an error"
    assert "   on the line:" not in lines


def test_what_needs_no_root_stands_last() -> None:
    around = Happening(PLACE, "the syntax of the line", "", ("CL510 gradient-count: certain",))
    assert page(replace(EXPLANATION, around=(around,)))[-3:] == [
        "Without a compile root:",
        "     the syntax of the line",
        "       -> CL510 gradient-count: certain",
    ]


def test_texts_of_strangers_move_no_cursor() -> None:
    hostile = "\x1b[2J\u202e"
    way = replace(WAY, root=hostile, stop="", given=(Belief(hostile, hostile, hostile),))
    finding = replace(FINDING, message=hostile, confidence=Confidence.CERTAIN)
    shown = why_text(
        replace(EXPLANATION, text=hostile, function=hostile, ways=(way,), outcomes=(Outcome(finding, "reported"),)),
        False,
        None,
    )
    assert "\x1b" not in shown
    assert "\u202e" not in shown


def test_a_bundle_fences_what_holds_fences() -> None:
    source = "    1  text = '''\n    2  ```` \n'''"
    text = bundle_text(EXPLANATION, [("compilelint", "0.1")], source)
    assert f"\n`````\n{source}\n`````\n" in text
    assert text.startswith("# compilelint on line 3 of model.py\n")
    assert "- compilelint: 0.1\n- torch: 2.13.0 (installed)\n" in text
