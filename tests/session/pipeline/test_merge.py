"""What is said of one place by several roots is one finding."""

from __future__ import annotations

from dataclasses import replace

import pytest

from compilelint.model import Confidence, Effect, Finding, Location, Rewrite, Rule, Span
from compilelint.session.commands.lint import Folded

# ------------------------------------------------------------- folding, rules

RULE = Rule("CL101", "branch-on-tensor", "", Effect.GRAPH_BREAK)
READ = Rule("CL102", "host-read", "", Effect.GRAPH_BREAK, more_effects=(Effect.SYNC,))
PLACE = Location("/p/m.py", Span(1, 1, 1, 2))


def said(confidence: Confidence, root: str, message: str = "m", effects: tuple[Effect, ...] = RULE.effects) -> Finding:
    return Finding(RULE, message, effects, confidence, PLACE, roots=(root,), break_ids=(f"GB000{len(root)}",))


def test_folding_keeps_the_surest_and_all_roots_ids_and_effects() -> None:
    folded = Folded()
    folded.add([said(Confidence.POSSIBLE, "a"), said(Confidence.CERTAIN, "bb", "sure", (Effect.ERROR,))])
    folded.add([said(Confidence.LIKELY, "a")])
    (finding,) = folded.findings()
    assert (finding.confidence, finding.message) == (Confidence.CERTAIN, "sure")
    assert finding.roots == ("a", "bb")
    assert finding.break_ids == ("GB0001", "GB0002")
    assert finding.effects == (Effect.ERROR, Effect.GRAPH_BREAK)


def test_other_rules_and_places_stay_apart() -> None:
    one = said(Confidence.CERTAIN, "a")
    folded = Folded()
    folded.add([one, replace(one, rule=READ), replace(one, location=Location("/p/m.py", Span(2, 1, 2, 2)))])
    assert len(folded.findings()) == 3


def test_a_rewrite_may_rely_only_on_what_holds_on_every_way_to_the_line() -> None:
    """One root gives a bool of no dimensions, the other a bool of any number of them."""
    scalar = Rewrite("branch", (("dtype", "bool"), ("rank", 0)))
    folded = Folded()
    folded.add([replace(said(Confidence.CERTAIN, "a"), rewrite=scalar)])
    folded.add([replace(said(Confidence.CERTAIN, "b"), rewrite=Rewrite("branch", (("dtype", "bool"), ("rank", 2))))])
    (finding,) = folded.findings()
    assert finding.rewrite == Rewrite("branch", (("dtype", "bool"),))


@pytest.mark.parametrize("other", [None, Rewrite("mask")], ids=["none", "another idiom"])
def test_a_line_that_one_way_cannot_rewrite_is_not_rewritten(other: Rewrite | None) -> None:
    folded = Folded()
    folded.add([replace(said(Confidence.CERTAIN, "a"), rewrite=Rewrite("branch", (("dtype", "bool"),)))])
    folded.add([replace(said(Confidence.CERTAIN, "b"), rewrite=other)])
    assert [finding.rewrite for finding in folded.findings()] == [None]
