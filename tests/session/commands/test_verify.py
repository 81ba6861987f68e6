"""What an interrupted run keeps."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from compilelint.config import Options, UsageError
from compilelint.dynamic.protocol import Settings
from compilelint.dynamic.targets import Target
from compilelint.dynamic.worker_process import Work
from compilelint.fleet import observe as fleet
from compilelint.model import Fate, TargetRun
from compilelint.session.commands import verify as command

TARGETS = [Target("net:One"), Target("net:Two"), Target("net:Three")]


def _interrupted_after(count: int) -> Callable[..., Any]:
    def observe(work: list[Work], settings: Settings, on_result: Callable[..., None], jobs: int) -> None:
        for number in range(count):
            on_result(number, TargetRun(work[number].target.label, Fate.RAN))
        raise KeyboardInterrupt

    return observe


def test_what_was_done_by_then_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fleet, "observe", _interrupted_after(2))
    seen: list[int] = []
    found = command.verify(TARGETS, Settings(), Options(paths=()), lambda number, run: seen.append(number))
    assert found.interrupted
    assert not found.ready
    assert seen == [0, 1]
    assert [one.fate for one in found.report.targets] == [Fate.RAN, Fate.RAN, Fate.INTERRUPTED]


def test_with_nothing_done_the_interrupt_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fleet, "observe", _interrupted_after(0))
    with pytest.raises(KeyboardInterrupt):
        command.verify(TARGETS, Settings(), Options(paths=()))


DEFECT = "a defect of compilelint: KeyError: 'x', dynamic/worker/job.py:1"


def _answering(*runs: TargetRun) -> Callable[..., Any]:
    return lambda work, settings, on_result, jobs: list(runs)


def test_a_defect_of_ours_is_a_notice_and_no_finding(monkeypatch: pytest.MonkeyPatch) -> None:
    failed = [TargetRun(one.label, Fate.NO_ANSWER, DEFECT) for one in TARGETS[1:]]
    monkeypatch.setattr(fleet, "observe", _answering(TargetRun("net:One", Fate.RAN), *failed))
    found = command.verify(TARGETS, Settings(), Options(paths=()))
    assert not found.report.findings
    assert [one.kind for one in found.report.notices] == ["defect"]
    assert (found.ready, found.unanswered) == (False, True)


def test_a_target_that_fails_by_itself_beside_it_is_what_the_exit_code_speaks_of(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    runs = [TargetRun("net:One", Fate.EXITED, "ended"), TargetRun("net:Two", Fate.NO_ANSWER, DEFECT)]
    monkeypatch.setattr(fleet, "observe", _answering(*runs))
    found = command.verify(TARGETS[:2], Settings(), Options(paths=()))
    assert [one.rule.code for one in found.report.findings] == ["CL905"]
    assert not found.unanswered


def test_where_nothing_could_be_judged_the_request_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        fleet, "observe", _answering(*(TargetRun(one.label, Fate.NO_ANSWER, DEFECT) for one in TARGETS))
    )
    with pytest.raises(UsageError, match="a defect of compilelint: KeyError"):
        command.verify(TARGETS, Settings(), Options(paths=()))
