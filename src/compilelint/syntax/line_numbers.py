"""Numbers for the lines of a text that is being edited: a line keeps its number where others are put in or taken out.

Numbers ascend and leave room between them. Where no room is left, all lines are numbered from the beginning.
"""

from __future__ import annotations

from collections.abc import Sequence

SPACING = 4096
_LEAVES = 8  # of the room between two lines, one part in so many goes to a new one: most go behind the last new one
_FARTHEST = 12  # lines that an edit puts in or takes out, where it is found by looking at single lines


def first_numbers(count: int) -> list[int]:
    """The numbers of so many lines of a text that nothing is known of."""
    return [SPACING * number for number in range(1, count + 1)]


def next_numbers(before: Sequence[str], numbers: Sequence[int], after: Sequence[str]) -> list[int]:
    """The numbers of the lines after an edit, of which those before had `numbers`."""
    kept: list[int | None] = []  # by line after the edit
    here, most = 0, len(before)
    while len(kept) < len(after):
        there = len(kept)
        if here < most and before[here] == after[there]:
            kept.append(numbers[here])
            here += 1
            continue
        gone, new = _apart(before, here, after, there)
        kept += numbers[here : here + min(gone, new)]
        kept += [None] * (new - gone)
        here += gone
    return _filled(kept) or first_numbers(len(after))


def _apart(before: Sequence[str], here: int, after: Sequence[str], there: int) -> tuple[int, int]:
    """How many lines of each are passed over until they agree again."""
    for far in range(1, _FARTHEST):
        for gone in range(far + 1):
            if _agree(before, here + gone, after, there + far - gone):
                return gone, far - gone
    rest, others = len(before) - here, len(after) - there
    tail = 0
    while tail < min(rest, others) and before[-1 - tail] == after[-1 - tail]:
        tail += 1
    return rest - tail, others - tail


def _agree(before: Sequence[str], here: int, after: Sequence[str], there: int) -> bool:
    """Whether three lines are the same, or all that are left."""
    mine, its = before[here : here + 3], after[there : there + 3]
    return mine == its and (bool(mine) or (here == len(before) and there == len(after)))


def _filled(kept: Sequence[int | None]) -> list[int] | None:
    """The numbers with those of new lines; None where there is no room."""
    found: list[int] = []
    at = 0
    while at < len(kept):
        number = kept[at]
        if number is not None:
            found.append(number)
            at += 1
            continue
        end = at
        while end < len(kept) and kept[end] is None:
            end += 1
        last = found[-1] if found else 0
        following = kept[end] if end < len(kept) else None
        room = (last + SPACING * (end - at + 1) * _LEAVES if following is None else following) - last
        step = max(min(SPACING, room // ((end - at) * _LEAVES)), 1)
        if step * (end - at) >= room:
            return None
        found += [last + step * count for count in range(1, end - at + 1)]
        at = end
    return found
