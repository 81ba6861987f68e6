"""What a finding is called in reports and options."""

from __future__ import annotations

from dataclasses import replace

import pytest

from compilelint.model import Confidence, Effect, Finding, Location, Outcome, Rule, Severity, Span, Verdict

PLACE = Location("/a.py", Span(1, 1, 1, 2))
RULE = Rule("CL101", "branch-on-tensor", "a branch", Effect.GRAPH_BREAK)


def test_a_severity_is_a_lower_case_word() -> None:
    assert [one.label for one in Severity] == ["note", "warning", "error"]


OUTCOMES = (None, Outcome.CONFIRMED, Outcome.REFUTED, Outcome.NOT_REACHED, Outcome.RUN_ONLY)
# By confidence and outcome, in the order of `OUTCOMES`: of a graph break, a recompile, a finding about the tool.
SEVERITIES = {
    Confidence.POSSIBLE: ("note error note note note", "note warning note note note", "note error note note note"),
    Confidence.LIKELY: (
        "warning error note warning warning",
        "warning warning note warning warning",
        "warning error note warning warning",
    ),
    Confidence.CERTAIN: (
        "error error note error error",
        "warning warning note warning warning",
        "error error note error error",
    ),
}


@pytest.mark.parametrize("confidence", Confidence)
@pytest.mark.parametrize("number", range(5))
def test_severity_follows_from_effect_confidence_and_what_a_run_said(confidence: Confidence, number: int) -> None:
    outcome = OUTCOMES[number]
    for effect, words in zip((Effect.GRAPH_BREAK, Effect.RECOMPILE, Effect.TOOL), SEVERITIES[confidence], strict=True):
        verdict = None if outcome is None else Verdict(outcome, "")
        one = Finding(RULE, "", (effect,), confidence, PLACE, verdict=verdict)
        assert one.severity.label == words.split()[number]
        refuted = outcome is Outcome.REFUTED
        for configured in Severity:
            assert replace(one, configured=configured).severity is (Severity.NOTE if refuted else configured)
