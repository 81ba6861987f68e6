"""Medians, quantiles, and bootstrap intervals of ratios, for times that come in rounds.

No numpy, and the same result each time: the generator is seeded. What was measured together depends on each other: a
process keeps its memory layout, a round the state of the machine. So processes are drawn first, then rounds of each,
then times of each round; both sides of a ratio get the same rounds, since they were measured side by side. A bootstrap
over few processes is too narrow, by what Student's t has over the normal distribution; that is put right. (Kalibera and
Jones, "Rigorous benchmarking in reasonable time", 2013, on why the process is what has to be repeated.)
"""

from __future__ import annotations

import math
import operator
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from statistics import median

Rounds = Sequence[Sequence[Sequence[float]]]
"""Times in seconds: by round, then by input set, then by call."""

SAMPLES = 1000
_MOST_OF_A_ROUND = 60  # times a round and set that are drawn again; more make an interval no better, only slower
_OUTER = (0.025, 0.975)
_NORMAL = 1.960
_STUDENT = (12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262)  # 97.5 % points, 1 to 9 degrees of freedom


@dataclass(frozen=True, slots=True)
class Interval:
    """An estimate with its 95 % interval."""

    estimate: float
    low: float
    high: float

    @property
    def holds_one(self) -> bool:
        """Whether, for a ratio, no difference was shown."""
        return self.low <= 1.0 <= self.high


def quantile(values: Sequence[float], share: float) -> float:
    """The value below which `share` (0 to 1) of the values lie, interpolated. Raises ValueError without values."""
    if not values:
        raise ValueError("no values")
    ordered = sorted(values)
    place = share * (len(ordered) - 1)
    below = int(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (ordered[above] - ordered[below]) * (place - below)


def pooled(rounds: Rounds, number: int) -> list[float]:
    """All times of an input set."""
    return [time for sets in rounds for time in sets[number]]


def typical(rounds: Rounds, weights: Sequence[float]) -> float:
    """Seconds of a call: the median of each input set, weighted."""
    total = sum(weights)
    return sum(weight * median(pooled(rounds, number)) for number, weight in enumerate(weights)) / total


def ratio(
    first: Rounds,
    second: Rounds,
    weights: Sequence[float],
    seed: int = 0,
    samples: int = SAMPLES,
    processes: Sequence[int] = (),
) -> Interval:
    """How many times the typical time of `second` that of `first` is, with its interval.

    Both have the same number of rounds, at least two, measured in pairs; `processes` says how many rounds each process
    gave, one after the other (without it: one each, and no process is the reason of anything). Raises ValueError for
    others.
    """
    estimate, drawn = _drawn(operator.truediv, first, second, weights, seed, samples, processes)
    wide = _widened(processes)
    low, high = (estimate * (quantile(drawn, share) / estimate) ** wide for share in _OUTER)
    return Interval(estimate, low, high)


def difference(first: Rounds, second: Rounds, weights: Sequence[float], processes: Sequence[int] = ()) -> Interval:
    """Seconds a call that `first` takes longer than `second`, with the interval; as `ratio` otherwise."""
    estimate, drawn = _drawn(operator.sub, first, second, weights, 0, SAMPLES, processes)
    wide = _widened(processes)
    low, high = (estimate + (quantile(drawn, share) - estimate) * wide for share in _OUTER)
    return Interval(estimate, low, high)


def _drawn(
    compare: Callable[[float, float], float],
    first: Rounds,
    second: Rounds,
    weights: Sequence[float],
    seed: int,
    samples: int,
    processes: Sequence[int],
) -> tuple[float, list[float]]:
    """How typical times compare, as measured and as drawn again. Raises ValueError for rounds that do not pair."""
    if len(first) != len(second) or len(first) < 2:
        raise ValueError(f"{len(first)} and {len(second)} rounds; an interval needs two at least, in pairs")
    counts = processes or [1] * len(first)
    if sum(counts) != len(first):
        raise ValueError(f"{len(first)} rounds, and {sum(counts)} of all processes")
    groups = [range(last - count, last) for count, last in zip(counts, accumulate(counts), strict=True)]
    numbers = random.Random(seed)
    drawn: list[float] = []
    for _ in range(samples):
        chosen = numbers.choices(groups, k=len(groups))
        rounds = [number for group in chosen for number in numbers.choices(group, k=len(group))]
        one = [_again(first[number], numbers) for number in rounds]
        two = [_again(second[number], numbers) for number in rounds]
        drawn.append(compare(typical(one, weights), typical(two, weights)))
    return compare(typical(first, weights), typical(second, weights)), drawn


def _widened(processes: Sequence[int]) -> float:
    """By how much the interval of a bootstrap over so few processes has to grow."""
    free = len(processes) - 1
    if free < 1:
        return 1.0
    student = _STUDENT[free - 1] if free <= len(_STUDENT) else _NORMAL
    return student / _NORMAL * math.sqrt(len(processes) / free)


def _again(sets: Sequence[Sequence[float]], numbers: random.Random) -> list[list[float]]:
    """A round with the times of each input set drawn again, with replacement."""
    return [numbers.choices(times, k=min(len(times), _MOST_OF_A_ROUND)) for times in sets]
