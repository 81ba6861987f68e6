"""What findings cost that no change was measured for, and where a call copies between devices: in words.

A copy's time is given as an upper estimate, since it holds the wait for work that has to be done all the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby

from compilelint.bench.result import Bench, Cause, Copy
from compilelint.bench.words import place_of, seconds

_LEAST_SHARE = 0.01  # of a call: what copies less is not reported where no finding stands


def of_causes(bench: Bench) -> Iterator[str]:
    """A line for each reason and its findings, and for each place that copies."""
    copies = bench.measured[0].copies
    alike = sorted(bench.causes, key=lambda one: one.unpriced)
    for unpriced, causes in groupby(alike, key=lambda one: one.unpriced):
        if unpriced:
            listed = ", ".join(f"{one.code} at {place_of(one.path, one.first_line)}" for one in causes)
            yield f"not priced: {listed}: {unpriced}"
    yield from _found(bench, copies)
    if bench.measured[0].ran:
        yield from _elsewhere(bench, copies)


def _found(bench: Bench, copies: Iterable[Copy]) -> Iterator[str]:
    """What is copied on the lines of findings."""
    left = list(copies)
    causes = sorted(bench.causes, key=lambda one: (one.path, one.first_line))
    for (path, line), together in groupby(causes, key=lambda one: (one.path, one.first_line)):
        same = list(together)
        meant = [one for one in left if any(_is_at(one, cause) for cause in same)]
        left = [one for one in left if one not in meant]
        if meant:
            codes = ", ".join(dict.fromkeys(one.code for one in same))
            yield f"the copies at {place_of(path, line)} ({codes}) take {_total(meant)}"


def _elsewhere(bench: Bench, copies: Iterable[Copy]) -> Iterator[str]:
    """What is copied where no finding stands, as far as it counts."""
    least = bench.typical(bench.measured[0]) * _LEAST_SHARE
    for one in copies:
        if not any(_is_at(one, cause) for cause in bench.causes) and one.seconds >= least and one.frames:
            yield f"{place_of(*one.frames[0])} copies {one.way}, and no finding says so: {_total([one])}"


def _is_at(copy: Copy, cause: Cause) -> bool:
    return any(path == cause.path and cause.first_line <= line <= cause.last_line for path, line in copy.frames)


def _total(copies: list[Copy]) -> str:
    count, ways = sum(one.count for one in copies), ", ".join(dict.fromkeys(one.way for one in copies))
    took = seconds(sum(one.seconds for one in copies))
    often = f"{count:.3g} a call, {ways}"
    holds = "this includes the wait for queued work, so it is an upper bound for the copying"
    return f"{took} of an eager call ({often}); {holds}, not counting what the host computes in between"
