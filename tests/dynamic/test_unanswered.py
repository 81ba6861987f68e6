"""Runs that say nothing about their targets: one line for each cause, and a refusal where there is nothing else."""

from __future__ import annotations

import pytest

from compilelint.dynamic.no_worker import REPORT, NoWorkerError
from compilelint.dynamic.unanswered import causes, refuse_unanswered
from compilelint.model import Fate, TargetRun

OURS = "a defect of compilelint: KeyError: 'x', dynamic/worker/job.py:1"
FULL = "no room is left for temporary files in /tmp; make room there, or let TMPDIR name another folder"


def _run(name: str, fate: Fate = Fate.NO_ANSWER, detail: str = OURS) -> TargetRun:
    return TargetRun(name, fate, detail)


def test_each_cause_is_one_line_with_its_targets_and_what_to_do() -> None:
    runs = [*(_run(name) for name in "abcde"), _run("f", detail=FULL), _run("g", Fate.EXITED, "ended")]
    assert list(causes(runs)) == [
        f"{OURS} (not run: a, b, c and 2 more); {REPORT}",
        f"{FULL} (not run: f); then run it again",
    ]


@pytest.mark.parametrize(
    ("runs", "refused"),
    [
        pytest.param([_run("a"), _run("b")], True, id="nothing could be judged"),
        pytest.param([_run("a"), _run("b", Fate.RAN, "")], False, id="another was"),
        pytest.param([_run("a"), _run("b", Fate.EXITED, "")], False, id="another failed by itself"),
        pytest.param([], False, id="there are no targets"),
    ],
)
def test_a_request_is_refused_where_no_target_could_be_judged(runs: list[TargetRun], refused: bool) -> None:
    if not refused:
        refuse_unanswered(runs)
        return
    with pytest.raises(NoWorkerError) as error:
        refuse_unanswered(runs)
    assert (error.value.what, error.value.hint) == (OURS, REPORT)
