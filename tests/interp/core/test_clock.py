"""The clock of a file's roots: what it counts, and that a root that runs out of time is given up, not the run."""

from __future__ import annotations

import time

import pytest

from compilelint.interp.core import clock
from compilelint.interp.core.clock import Clock, OutOfTimeError


def work(seconds: float) -> None:
    until = time.thread_time() + seconds
    while time.thread_time() < until:
        pass


@pytest.fixture(autouse=True)
def every_block(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clock, "_BODIES_A_LOOK", 1)


def test_the_roots_of_one_file_share_their_time() -> None:
    one = Clock(0.05)
    with one.running("a.py"):
        work(0.02)
        one.look()
    assert 0.02 <= one.spent["a.py"] < 0.05
    with one.running("a.py"):
        work(0.04)
        with pytest.raises(OutOfTimeError):
            one.look()
    with pytest.raises(OutOfTimeError), one.running("a.py"):
        raise AssertionError("nothing was left for a third")
    with one.running("b.py"):
        one.look()


def test_outside_of_roots_and_without_a_limit_nothing_runs_out() -> None:
    limited, free = Clock(0.001), Clock(0)
    work(0.01)
    limited.look()
    with free.running("a.py"):
        work(0.01)
        free.look()


def test_waiting_does_not_count() -> None:
    one = Clock(0.05)
    with one.running("a.py"):
        time.sleep(0.1)
        one.look()
