"""What is left out where nothing is judged."""

from __future__ import annotations

import pytest

from compilelint.interp.core.frame import Frame
from compilelint.interp.core.judging import if_judged, if_judged_else_false
from compilelint.interp.core.modes import HOST, SILENT, TRACED, Modes


def _frame(modes: Modes) -> Frame:
    frame = Frame.__new__(Frame)
    frame.modes = modes
    return frame


@pytest.mark.parametrize(
    ("modes", "runs"),
    [
        pytest.param(TRACED, True, id="judged"),
        pytest.param(TRACED.but(in_body=True), True, id="judged in a body"),
        pytest.param(SILENT, False, id="only its values are wanted"),
        pytest.param(HOST, False, id="plain Python around compiled code"),
    ],
)
def test_a_function_for_frames_that_are_judged(modes: Modes, runs: bool) -> None:
    seen = []

    @if_judged
    def note(f: Frame, what: str, *, at: int) -> str:
        seen.append((what, at))
        return what

    @if_judged_else_false
    def holds(f: Frame) -> bool:
        return True

    assert note(_frame(modes), "x", at=1) == ("x" if runs else None)
    assert seen == ([("x", 1)] if runs else [])
    assert holds(_frame(modes)) is runs
