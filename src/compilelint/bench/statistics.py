"""Medians, quantiles, and bootstrap intervals of ratios, for times that come in rounds.

No numpy, and the same result each time: the generator is seeded. Times of one round depend on each other (the machine
was as it was), so rounds are drawn first, then times within each round drawn; both sides of a ratio get the same
rounds, since they were measured side by side.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

Rounds = Sequence[Sequence[Sequence[float]]]
"""Times in seconds: by round, then by input set, then by call."""

SAMPLES = 1000
_MOST_OF_A_ROUND = 60  # times a round and set that are drawn again; more make an interval no better, only slower


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


def ratio(first: Rounds, second: Rounds, weights: Sequence[float], seed: int = 0, samples: int = SAMPLES) -> Interval:
    """How many times the typical time of `second` that of `first` is, with its interval.

    Both have the same number of rounds, at least two, measured in pairs. Raises ValueError for others.
    """
    return _interval(lambda one, two: typical(one, weights) / typical(two, weights), first, second, seed, samples)


def difference(
    first: Rounds, second: Rounds, weights: Sequence[float], seed: int = 0, samples: int = SAMPLES
) -> Interval:
    """Seconds a call that `first` takes longer than `second`, with the interval; as `ratio` otherwise."""
    return _interval(lambda one, two: typical(one, weights) - typical(two, weights), first, second, seed, samples)


def _interval(statistic: object, first: Rounds, second: Rounds, seed: int, samples: int) -> Interval:
    assert callable(statistic)
    if len(first) != len(second) or len(first) < 2:
        raise ValueError(f"{len(first)} and {len(second)} rounds; an interval needs two at least, in pairs")
    numbers = random.Random(seed)
    drawn: list[float] = []
    for _ in range(samples):
        rounds = numbers.choices(range(len(first)), k=len(first))
        one = [_again(first[number], numbers) for number in rounds]
        two = [_again(second[number], numbers) for number in rounds]
        drawn.append(statistic(one, two))
    return Interval(statistic(first, second), quantile(drawn, 0.025), quantile(drawn, 0.975))


def _again(sets: Sequence[Sequence[float]], numbers: random.Random) -> list[list[float]]:
    """A round with the times of each input set drawn anew, with replacement."""
    return [numbers.choices(times, k=min(len(times), _MOST_OF_A_ROUND)) for times in sets]
