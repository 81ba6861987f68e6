"""The thread that analyses: the latest wins."""

from __future__ import annotations

import threading

from compilelint.interp.core.clock import StoppedError
from compilelint.server.worker import Worker


def test_what_waits_is_replaced_by_what_is_asked_next() -> None:
    worker, begun, go, ended = Worker(), threading.Event(), threading.Event(), threading.Event()
    done: list[object] = []

    def first() -> str:
        begun.set()
        go.wait(10)
        return "first"

    def note(outcome: object, error: BaseException | None) -> None:
        done.append(outcome)
        if outcome == "last":
            ended.set()

    worker.ask("file", first, note)
    assert begun.wait(10)
    for number in range(100):
        worker.ask("file", lambda number=number: number, note)  # type: ignore[misc]
    worker.ask("file", lambda: "last", note)
    assert worker.waits("file")
    go.set()
    assert ended.wait(10)
    assert done == ["first", "last"]
    worker.end()


def test_a_job_that_is_given_up_says_nothing_and_a_failure_does() -> None:
    worker, ended = Worker(), threading.Event()
    seen: list[object] = []

    def given_up() -> None:
        raise StoppedError

    def fails() -> None:
        raise ValueError("x")

    worker.ask(1, given_up, lambda outcome, error: seen.append("never"))
    worker.ask(2, fails, lambda outcome, error: seen.append(error))
    worker.ask(3, lambda: 3, lambda outcome, error: seen.append(outcome))
    while len(seen) < 2:
        pass
    worker.ask(4, lambda: 4, lambda outcome, error: ended.set())
    assert ended.wait(10)
    assert "never" not in seen
    assert any(isinstance(one, ValueError) for one in seen)
    worker.end()


def test_what_is_found_after_the_end_is_dropped() -> None:
    worker, begun, go, found = Worker(), threading.Event(), threading.Event(), threading.Event()
    done: list[object] = []

    def job() -> str:
        begun.set()
        go.wait(10)
        found.set()
        return "late"

    worker.ask("file", job, lambda outcome, error: done.append(outcome))
    assert begun.wait(10)
    worker.end()
    go.set()
    assert found.wait(10)
    worker.join(10)
    assert worker.ended
    assert done == []
