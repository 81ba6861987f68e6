"""What is surer if another part says so is added when it does, and where it does."""

from __future__ import annotations

import pytest

from compilelint import checks
from compilelint.model import Confidence, Finding, Location, Span
from compilelint.session.parallel.outcome import Outcome, Surer, Unsettled
from compilelint.session.pipeline.merge import Folded

RULE = checks.rulebook().rules[0]
NOTHING = Outcome([], (), 0, {}, (), {}, {}, False, (), ())
STAGE = (0, "unreached")


def found(confidence: Confidence) -> Finding:
    return Finding(RULE, "it breaks", RULE.effects, confidence, Location("/p/m.py", Span(3, 1, 3, 9)))


@pytest.mark.parametrize(
    ("reached", "confidence"),
    [
        pytest.param({"/p/m.py:1": True, "/p/n.py:1": False}, Confidence.LIKELY, id="one of its callers is trusted"),
        pytest.param({"/p/m.py:1": False}, Confidence.POSSIBLE, id="reached from guesses alone"),
        pytest.param({"/p/o.py:1": True}, Confidence.POSSIBLE, id="not reached"),
    ],
)
def test_a_finding_is_as_sure_as_what_other_parts_reach_allows(
    reached: dict[str, bool], confidence: Confidence
) -> None:
    folded = Folded()
    folded.add([found(Confidence.POSSIBLE)])
    surer = Surer(STAGE, frozenset({"/p/m.py:1", "/p/n.py:1"}), [found(Confidence.LIKELY)], "")
    settled = Unsettled(NOTHING, folded, [surer]).settled({(0, "first"): {"/p/n.py:1": True}, STAGE: reached})
    assert settled.findings == [found(confidence)]
