"""What an interrupted run keeps."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from compilelint.config import Options
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
