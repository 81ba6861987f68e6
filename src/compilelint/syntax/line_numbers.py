"""Numbers for the lines of a text that is being edited: a line keeps its number where others are put in or taken out.

Numbers ascend and leave room between them. Where no room is left, all lines are numbered from the beginning.
"""

from __future__ import annotations

from collections.abc import Sequence

SPACING = 4096
_LEAVES = 8  # of the room between two lines, one part in so many goes to a new one: most go behind the last new one


def first_numbers(count: int) -> list[int]:
    """The numbers of so many lines of a text that nothing is known of."""
    return [SPACING * number for number in range(1, count + 1)]


def next_numbers(before: Sequence[str], numbers: Sequence[int], after: Sequence[str]) -> list[int]:
    """The numbers of the lines after an edit, of which those before had `numbers`."""
    most = min(len(before), len(after))
    head = 0
    while head < most and before[head] == after[head]:
        head += 1
    tail = 0
    while tail < most - head and before[-1 - tail] == after[-1 - tail]:
        tail += 1
    replaced = numbers[head : len(before) - tail][: len(after) - tail - head]
    found = [*numbers[:head], *replaced]
    last = found[-1] if found else 0
    rest = numbers[len(before) - tail :]
    new = len(after) - tail - head - len(replaced)
    room = (rest[0] if rest else last + SPACING * (new + 1) * _LEAVES) - last
    step = min(SPACING, max(room // (new * _LEAVES), 1)) if new else 0
    if new and step * new >= room:
        return first_numbers(len(after))
    return [*found, *(last + step * number for number in range(1, new + 1)), *rest]
