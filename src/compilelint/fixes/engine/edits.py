"""Fixes put together: which of them go into one text, and that text.

Edits of one fix go in together or not at all. Fixes that touch the same characters wait for the next round, when the
text is linted again; an insertion that several fixes need (an import) goes in once.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from compilelint.fixes.engine.guards import with_joined_guards
from compilelint.model import Edit, Fix
from compilelint.model.slotted import dataclass
from compilelint.syntax.source import Source


@dataclass(frozen=True, slots=True)
class Rewritten:
    """A text with fixes in it: those that are in, and those that wait."""

    text: str
    applied: tuple[Fix, ...]
    waiting: tuple[Fix, ...]


def rewritten(source: Source, fixes: Sequence[Fix]) -> Rewritten:
    """The text of a file with as many of the fixes as do not overlap, earlier ones first."""
    taken: list[Edit] = []
    applied: list[Fix] = []
    waiting: list[Fix] = []
    for fix in fixes:
        new = [edit for edit in dict.fromkeys(fix.edits) if edit not in taken]
        if any(_overlap(one, other) for one in new for other in taken):
            waiting.append(fix)
        else:
            taken += new
            applied.append(fix)
    return Rewritten(with_joined_guards(source.text, with_edits(source, taken)), tuple(applied), tuple(waiting))


def with_edits(source: Source, edits: Iterable[Edit]) -> str:
    """The text of a file with edits that do not overlap. Lines past the end are the end."""
    starts = [0]
    for line in source.lines:
        starts.append(starts[-1] + len(line) + 1)
    size = len(source.text)

    def offset(line: int, column: int) -> int:
        return min(starts[line - 1] + column - 1, size) if line <= len(source.lines) else size

    text = source.text
    placed = [(offset(*edit.span[:2]), offset(*edit.span[2:]), edit.text) for edit in edits]
    for start, end, new in sorted(placed, reverse=True):
        missing = (
            "\n" if start == size and text and start == len(text) and text[-1] != "\n" and new.endswith("\n") else ""
        )
        text = text[:start] + missing + new + text[end:]
    return text


def _overlap(one: Edit, other: Edit) -> bool:
    """Whether two edits touch the same characters; two insertions at one place have no order, so they do."""
    if one.span[:2] == other.span[:2]:
        return True
    first, second = sorted((one.span, other.span))
    return second[:2] < first[2:]
