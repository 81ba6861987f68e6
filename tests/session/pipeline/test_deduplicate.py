"""One line, one rule, one finding."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from compilelint.model import Confidence, Effect, Finding, Location, Rule, Span
from compilelint.report.report import Report
from compilelint.rulebook import MALFORMED_SUPPRESSION
from compilelint.session.pipeline.deduplicate import fold_lines


def reported(report: Report) -> list[tuple[str, str, int]]:
    return [(one.rule.code, Path(one.location.path).name, one.location.span.line) for one in report.findings]


# ------------------------------------------------------------- folding, rules

RULE = Rule("CL101", "branch-on-tensor", "", Effect.GRAPH_BREAK)
READ = Rule("CL102", "host-read", "", Effect.GRAPH_BREAK, more_effects=(Effect.SYNC,))
PLACE = Location("/p/m.py", Span(1, 1, 1, 2))


def said(confidence: Confidence, root: str, message: str = "m", effects: tuple[Effect, ...] = RULE.effects) -> Finding:
    return Finding(RULE, message, effects, confidence, PLACE, roots=(root,), break_ids=(f"GB000{len(root)}",))


def at_column(one: Finding, column: int, line: int = 1) -> Finding:
    return replace(one, location=Location("/p/m.py", Span(line, column, line, column + 1)))


def test_one_rule_on_one_line_is_reported_once_at_the_leftmost_of_the_surest() -> None:
    likely, right, left = (
        at_column(said(sure, root), column)
        for sure, root, column in (
            (Confidence.LIKELY, "a", 1),
            (Confidence.CERTAIN, "bb", 9),
            (Confidence.CERTAIN, "a", 5),
        )
    )
    (first,) = fold_lines([likely, right, left])
    assert first.location == left.location
    assert [(one.location.span.column, one.text) for one in first.related] == [(1, "here too"), (9, "here too")]
    assert set(first.roots) == {"a", "bb"}
    assert first.break_ids == ("GB0001", "GB0002")


def test_what_is_not_one_rule_on_one_line_is_not_folded() -> None:
    one = said(Confidence.CERTAIN, "a")
    other_rule, other_line = replace(one, rule=READ), at_column(one, 1, line=2)
    assert fold_lines([one, other_rule, other_line]) == [one, other_rule, other_line]
    two_pragmas = [at_column(replace(one, rule=MALFORMED_SUPPRESSION, effects=(Effect.TOOL,)), at) for at in (3, 9)]
    assert fold_lines(two_pragmas) == two_pragmas


COUNTER = Rule("CL701", "changing-number", "", Effect.RECOMPILE)
OUTSIDE = Rule("CL716", "outside-state", "", Effect.RECOMPILE)


def test_what_a_run_shows_of_a_line_is_dropped_where_the_code_itself_shows_it() -> None:
    shown = replace(said(Confidence.CERTAIN, "a"), rule=COUNTER)
    again = replace(said(Confidence.CERTAIN, "a"), rule=OUTSIDE)
    assert [one.rule for one in fold_lines([again, shown])] == [COUNTER]
    assert [one.rule for one in fold_lines([at_column(again, 1, line=2), shown])] == [OUTSIDE, COUNTER]
    assert [one.rule for one in fold_lines([again, said(Confidence.CERTAIN, "a")])] == [OUTSIDE, RULE]
