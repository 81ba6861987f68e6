"""Intervals hold what they promise: tried on times whose true ratio is known."""

from __future__ import annotations

import functools
import random

import pytest

from compilelint.bench.statistics import Interval, difference, quantile, ratio, typical


def rounds_of(numbers: random.Random, middle: float, drift: list[float], calls: int = 20) -> list[list[list[float]]]:
    """Times scattered by a tenth around `middle`, upwards now and then by far, as times are; a drift for each round."""
    return [
        [
            [
                middle * slow * numbers.lognormvariate(0.0, 0.1) * (4 if numbers.random() < 0.02 else 1)
                for _ in range(calls)
            ]
        ]
        for slow in drift
    ]


@functools.cache
def experiment(seed: int, true: float, rounds: int = 10) -> Interval:
    numbers = random.Random(seed)
    drift = [numbers.lognormvariate(0.0, 0.15) for _ in range(rounds)]
    first, second = rounds_of(numbers, true, drift), rounds_of(numbers, 1.0, drift)
    return ratio(first, second, (1.0,), seed, samples=200)


@pytest.mark.parametrize("true", [1.0, *(pytest.param(true, marks=pytest.mark.slow) for true in (1.05, 2.0))])
def test_an_interval_holds_the_true_ratio_as_often_as_it_says(true: float) -> None:
    held = sum(one.low <= true <= one.high for one in (experiment(seed, true) for seed in range(120)))
    assert 0.90 <= held / 120 <= 1.0


def test_a_difference_of_a_tenth_is_distinguished_from_none() -> None:
    found = [experiment(seed, 1.1) for seed in range(40)]
    assert sum(one.low > 1.0 for one in found) >= 30
    assert not any(one.high < 1.0 for one in found)


def test_equal_times_are_rarely_called_different() -> None:
    wrong = sum(not experiment(seed, 1.0).holds_one for seed in range(120))
    assert wrong <= 12


def test_a_drift_that_both_share_does_not_widen_the_interval() -> None:
    numbers = random.Random(3)
    drift = [1.0 + 0.1 * number for number in range(10)]
    drifting = ratio(rounds_of(numbers, 1.5, drift), rounds_of(numbers, 1.0, drift), (1.0,))
    assert drifting.low <= 1.5 <= drifting.high
    assert drifting.high - drifting.low < 0.35  # the drift itself is a factor of 1.9


def in_processes(seed: int, true: float, apart: float, processes: tuple[int, ...] = (2, 2, 2, 2, 2)) -> Interval:
    """Each process is faster or slower as a whole, by its share `apart`, as processes are, and says so."""
    numbers = random.Random(seed)
    own = [numbers.lognormvariate(0.0, apart) for _ in processes]
    slow = [factor for factor, count in zip(own, processes, strict=True) for _ in range(count)]
    first, second = rounds_of(numbers, true, slow), rounds_of(numbers, 1.0, [1.0] * len(slow))
    return ratio(first, second, (1.0,), seed, samples=200, processes=processes)


@pytest.mark.parametrize("apart", [0.0, *(pytest.param(apart, marks=pytest.mark.slow) for apart in (0.02, 0.06))])
def test_what_a_process_keeps_to_its_end_is_part_of_the_interval(apart: float) -> None:
    held = sum(one.low <= 1.1 <= one.high for one in (in_processes(seed, 1.1, apart) for seed in range(120)))
    assert held / 120 >= 0.90


def test_rounds_alone_do_not_show_how_processes_differ() -> None:
    numbers = random.Random(1)
    drift = [1.05] * 2 + [0.95] * 2 + [1.02] * 2 + [0.99] * 2 + [1.03] * 2
    first, second = rounds_of(numbers, 1.0, drift), rounds_of(numbers, 1.0, [1.0] * 10)
    alone = ratio(first, second, (1.0,))
    together = ratio(first, second, (1.0,), processes=(2, 2, 2, 2, 2))
    assert together.high - together.low > 1.3 * (alone.high - alone.low)


def test_the_same_times_give_the_same_interval() -> None:
    assert experiment(7, 1.2) == experiment(7, 1.2)


def test_more_rounds_make_an_interval_narrower() -> None:
    few, many = experiment(5, 1.3, rounds=4), experiment(5, 1.3, rounds=40)
    assert many.high - many.low < few.high - few.low


def test_a_call_costs_the_weighted_medians_of_the_input_sets() -> None:
    rounds = [[[1.0, 1.0, 9.0], [10.0]], [[1.0], [10.0, 10.0]]]
    assert typical(rounds, (3.0, 1.0)) == pytest.approx((3 * 1.0 + 10.0) / 4)


def test_a_saving_is_given_in_seconds() -> None:
    saved = difference([[[3.0, 3.0]], [[3.0, 3.0]]], [[[1.0, 1.0]], [[1.0, 1.0]]], (1.0,))
    assert saved == Interval(2.0, 2.0, 2.0)


@pytest.mark.parametrize(
    ("share", "expected"),
    [(0.0, 1.0), (0.5, 2.5), (1.0, 4.0), (0.25, 1.75)],
    ids=["least", "median", "most", "between"],
)
def test_a_quantile_is_interpolated(share: float, expected: float) -> None:
    assert quantile([4.0, 1.0, 3.0, 2.0], share) == pytest.approx(expected)


def test_processes_and_rounds_have_to_fit() -> None:
    with pytest.raises(ValueError, match="2 rounds, and 3 of all processes"):
        ratio([[[1.0]]] * 2, [[[1.0]]] * 2, (1.0,), processes=(1, 2))


def test_what_cannot_be_paired_is_refused() -> None:
    with pytest.raises(ValueError, match="1 and 1 rounds"):
        ratio([[[1.0]]], [[[1.0]]], (1.0,))
    with pytest.raises(ValueError, match="3 and 2 rounds"):
        ratio([[[1.0]]] * 3, [[[1.0]]] * 2, (1.0,))
    with pytest.raises(ValueError, match="no values"):
        quantile([], 0.5)
