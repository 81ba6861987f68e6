"""What a function holds is put back: objects stay themselves, and have the values that they had."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import pytest

pytestmark = pytest.mark.dynamo


class Schedule:
    """Counts its steps, and keeps what it was given."""

    def __init__(self) -> None:
        import torch

        self.times = torch.arange(3.0)
        self.seen: list[Any] = []
        self.index: int | None = None

    def step(self, x: Any) -> Any:
        self.index = 0 if self.index is None else self.index + 1
        self.seen.append(x)
        self.late = True
        self.times.add_(1)
        return x * self.times[self.index]


def _bound(schedule: Schedule) -> Callable[..., Any]:
    return schedule.step


def _closed_over(schedule: Schedule) -> Callable[..., Any]:
    def called(x: Any) -> Any:
        return schedule.step(x)

    return called


def _given(schedule: Schedule) -> Callable[..., Any]:
    return functools.partial(Schedule.step, schedule)


def _through_another(schedule: Schedule) -> Callable[..., Any]:
    inner = _closed_over(schedule)

    def called(x: Any) -> Any:
        return inner(x)

    return called


@pytest.mark.parametrize("made", [_bound, _closed_over, _given, _through_another])
def test_every_call_is_a_first_call(made: Callable[[Schedule], Callable[..., Any]]) -> None:
    import torch

    from compilelint.dynamic.worker.held import Held

    schedule = Schedule()
    function, times, seen = made(schedule), schedule.times, schedule.seen
    held = Held(function)
    results = []
    for _ in range(5):
        held.put_back()
        results.append(float(function(torch.tensor(2.0))))
    assert results == [2.0] * 5
    held.put_back()
    assert (schedule.index, schedule.seen, hasattr(schedule, "late")) == (None, [], False)
    assert schedule.times is times
    assert schedule.seen is seen
    assert times.tolist() == [0.0, 1.0, 2.0]


def test_a_container_that_is_closed_over_has_its_content_again() -> None:
    from compilelint.dynamic.worker.held import Held

    found = {"a": 1}
    kept = [1, 2]

    def function(x: int) -> int:
        found["b"] = x
        kept.pop()
        return x

    held = Held(function)
    function(1)
    held.put_back()
    assert (found, kept) == ({"a": 1}, [1, 2])


def test_models_are_left_alone() -> None:
    import torch

    from compilelint.dynamic.worker.held import Held

    layer = torch.nn.BatchNorm1d(2)
    held = Held(layer)
    layer(torch.ones(3, 2))
    held.put_back()
    assert int(layer.num_batches_tracked) == 1


def test_rows_of_numbers_may_begin_with_two_that_are_equal_or_moved() -> None:
    from compilelint.dynamic.worker.held import Held

    schedule = Schedule()
    held = Held(schedule.step)
    found = {}
    for name, variant in held.variants.items():
        held.put_back()
        if variant.prepare is not None:
            variant.prepare()
        given = None if variant.argument is None else variant.argument().item()
        found[name] = schedule.times.tolist(), given
    assert found == {
        "the first two of `times` equal": ([0.0, 0.0, 2.0], None),
        "the last two of `times` equal": ([0.0, 1.0, 1.0], None),
        "the first of `times` given": ([0.0, 1.0, 2.0], 0.0),
        "the last of `times` given": ([0.0, 1.0, 2.0], 2.0),
        "the last of `times` given, one later": ([1.0, 2.0, 3.0], 3.0),
    }
    held.put_back()
    assert schedule.times.tolist() == [0.0, 1.0, 2.0]
