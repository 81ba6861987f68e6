"""Fixes put together: which of them go into one text, or into the texts of several files, and those texts.

Edits of one fix go in together or not at all, in all files that it changes. Fixes that touch the same characters wait
for the next round, when the texts are linted again; an insertion that several fixes need (an import) goes in once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

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


@dataclass(frozen=True, slots=True)
class Placed:
    """A fix, and the file of its finding, in which edits lie that name no other."""

    home: str
    fix: Fix

    def files(self) -> tuple[str, ...]:
        """The files that it changes, in the order in which they are written."""
        return tuple(self.fix.by_file(self.home))


@dataclass(frozen=True, slots=True)
class RewrittenFiles:
    """Texts by path with fixes in them: those that are in all their files, and those that are in none."""

    texts: Mapping[str, str]
    applied: tuple[Placed, ...]
    waiting: tuple[Placed, ...]


def rewritten(source: Source, fixes: Sequence[Fix]) -> Rewritten:
    """The text of a file with as many of its fixes as do not overlap, earlier ones first.

    Fixes that change other files too are left waiting: one text cannot hold them.
    """
    own = [Placed(source.path, fix) for fix in fixes if not fix.elsewhere]
    made = rewritten_files(own, {source.path: source})
    waiting = [one.fix for one in made.waiting] + [fix for fix in fixes if fix.elsewhere]
    text = made.texts.get(source.path, source.text)
    return Rewritten(text, tuple(one.fix for one in made.applied), tuple(waiting))


def rewritten_files(
    placed: Sequence[Placed],
    sources: Mapping[str, Source],
    parses: Callable[[str, str], bool] = lambda path, text: True,
) -> RewrittenFiles:
    """The texts of files with as many of the fixes as do not overlap in any of them, earlier ones first.

    A fix waits as a whole where one of its files is not in `sources`; so do all fixes of a text that does not pass
    `parses` (path, text), in their other files too.
    """
    waiting: list[Placed] = []
    applied: list[Placed] = []
    taken: dict[str, list[Edit]] = {}
    for one in placed:
        by_file = one.fix.by_file(one.home)
        new = {
            path: [edit for edit in dict.fromkeys(_plain(edits)) if edit not in taken.get(path, ())]
            for path, edits in by_file.items()
        }
        clash = any(_overlap(edit, other) for path in new for edit in new[path] for other in taken.get(path, ()))
        if clash or not by_file.keys() <= sources.keys():
            waiting.append(one)
            continue
        for path, edits in new.items():
            taken.setdefault(path, []).extend(edits)
        applied.append(one)
    texts = {
        path: with_joined_guards(sources[path].text, with_edits(sources[path], edits)) for path, edits in taken.items()
    }
    broken = {path for path, text in texts.items() if not parses(path, text)}
    if not broken:
        return RewrittenFiles(texts, tuple(applied), tuple(waiting))
    left = [one for one in applied if not broken.intersection(one.files())]
    again = rewritten_files(left, sources, parses)
    out = [one for one in applied if one not in left]
    return RewrittenFiles(again.texts, again.applied, (*waiting, *out, *again.waiting))


def connected(placed: Iterable[Placed]) -> list[frozenset[str]]:
    """The files that fixes tie together: each set is written as a whole, or none of it."""
    groups: list[frozenset[str]] = []
    for one in placed:
        files = frozenset(one.files())
        for group in [group for group in groups if group & files]:
            groups.remove(group)
            files |= group
        groups.append(files)
    return groups


def _plain(edits: Iterable[Edit]) -> list[Edit]:
    """Edits without their path: two fixes that insert the same import name its file in different ways."""
    return [Edit(edit.span, edit.text) for edit in edits]


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
