"""Ranks of one job beside each other: the first compile in which one differs, since ranks that differ may hang."""

from __future__ import annotations

import os

from compilelint.model import Step
from compilelint.trace.cause import Divergence

_MOST_PROCESSES = 10_000
_MOST_COMPILES = 20_000
_MOST_SHOWN = 64


class Ranks:
    """What each rank compiled, in its order: file name, line, function and number of operations."""

    def __init__(self) -> None:
        self._compiled: dict[tuple[int, int], list[tuple[str, int, str, int]]] = {}

    def add(self, rank: int, attempt: int, frame: Step, ops: int) -> None:
        """Remember a compile."""
        if len(self._compiled) >= _MOST_PROCESSES and (rank, attempt) not in self._compiled:
            return
        done = self._compiled.setdefault((rank, attempt), [])
        if len(done) < _MOST_COMPILES:
            done.append((os.path.basename(frame.path), frame.line, frame.function, ops))

    def divergences(self) -> tuple[Divergence, ...]:
        """Ranks whose compiles differ from those of the lowest rank, each in its last attempt."""
        last = {rank: self._compiled[rank, attempt] for rank, attempt in sorted(self._compiled)}
        if len(last) < 2:
            return ()
        first = min(last)
        found = []
        for rank in sorted(last):
            number = _first_difference(last[first], last[rank])
            if number is not None:
                here, there = (_step(last[one], number) for one in (rank, first))
                ops = [_ops(last[one], number) for one in (rank, first)]
                found.append(Divergence(rank, first, number + 1, here, there, *ops))
        return tuple(found[:_MOST_SHOWN])


def _first_difference(one: list[tuple[str, int, str, int]], other: list[tuple[str, int, str, int]]) -> int | None:
    number = next((at for at, (left, right) in enumerate(zip(one, other, strict=False)) if left != right), None)
    if number is None and len(one) != len(other):
        return min(len(one), len(other))
    return number


def _step(compiles: list[tuple[str, int, str, int]], number: int) -> Step | None:
    return Step(*compiles[number][:3]) if number < len(compiles) else None


def _ops(compiles: list[tuple[str, int, str, int]], number: int) -> int:
    return compiles[number][3] if number < len(compiles) else 0
