"""Which parts of a project the others import: what is learnt of those is worth keeping, and what they hold is asked for
again.

Read off the import statements of all files, without analysing any: it decides what a run costs, never what it reports.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from compilelint.session.pipeline.imports import imports_in, nearest
from compilelint.session.pipeline.inputs import Linted


class Imports(NamedTuple):
    """What parts import of each other: `counts[a][b]` files of part a import something of part b; `modules` are those
    that another part imports, by name, each with the parts that will ask for it: its own and those that import it.
    """

    counts: list[list[int]]
    modules: dict[str, frozenset[int]]

    def of(self, part: int) -> int:
        """How many files of others import something of a part."""
        return sum(counts[part] for counts in self.counts)

    def turns(self, parts: Sequence[int]) -> list[int]:
        """The parts in an order in which the one comes first that imports most of what is left.

        What it reaches of the others is known when their turn comes.
        """
        left = list(parts)
        order = []
        while left:
            first = min(left, key=lambda part: (-sum(self.counts[part][other] for other in left), part))
            left.remove(first)
            order.append(first)
        return order

    def plan(self, sizes: Sequence[int], room: int) -> Plan:
        """Which parts are kept, and the turn of each, where there is room for so many characters of them.

        Those that others import most are kept, as far as there is room, and come first: what they reach is known then.
        Of the others come last those that import least.
        """
        numbers = range(len(sizes))
        kept: set[int] = set()
        for number in sorted(numbers, key=lambda number: -self.of(number)):
            if sizes[number] <= room:
                room -= sizes[number]
                kept.add(number)
        turns = [*sorted(kept), *self.turns([number for number in numbers if number not in kept])]
        return Plan(frozenset(kept), {number: turn for turn, number in enumerate(turns)})


class Plan(NamedTuple):
    """Which parts a process keeps from one question to the next, and the turn of every part."""

    kept: frozenset[int]
    turns: dict[int, int]

    def shared_by(self, processes: int, sizes: Sequence[int]) -> dict[int, int]:
        """The turns where so many processes take the parts: of the last, the largest comes first, so that all end at
        about the same time.
        """
        order = sorted(self.turns, key=self.turns.__getitem__)
        last = max(len(self.kept), len(order) - _LAST * processes)
        order[last:] = sorted(order[last:], key=lambda part: -sizes[part])
        return {part: turn for turn, part in enumerate(order)}


_LAST = 3  # parts for each process


def room_beside(room: int, at_once: int, sizes: Sequence[int]) -> int:
    """How many characters of parts can be kept: all of them, or what the largest of the others leaves."""
    return room if sum(sizes) <= room else max(0, min(room, at_once - max(sizes)))


def imports(parts: Sequence[Sequence[Linted]], text_of: Callable[[Linted], str]) -> Imports:
    """What the files of each part import of the others. A file counts for the first part that it lies in: the last part
    may hold files of all once more.
    """
    part_of: dict[str, int] = {}
    for number, part in enumerate(parts):
        for file in part:
            part_of.setdefault(file.dotted, number)
    counts = [[0] * len(parts) for _ in parts]
    modules: dict[str, frozenset[int]] = {}
    for number, part in enumerate(parts):
        for file in part:
            if part_of[file.dotted] != number:
                continue
            others = {name for name in _imported(file, text_of(file), part_of) if part_of[name] != number}
            for name in others:
                modules[name] = modules.get(name, frozenset()) | {number, part_of[name]}
            for other in {part_of[name] for name in others}:
                counts[number][other] += 1
    return Imports(counts, modules)


def _imported(file: Linted, text: str, part_of: Mapping[str, int]) -> Iterator[str]:
    """The modules that a file names and that lie in parts."""
    package = file.dotted.split(".") if file.is_package else file.dotted.split(".")[:-1]
    for module in {module for module, _ in imports_in(text, package)}:
        dotted = nearest(module, part_of)
        if dotted:
            yield dotted
