"""Which rules have something to look at in a file, and in which of its statements. Knows no LibCST, so that it decides
whether LibCST is imported at all.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from compilelint.lib.file_state import FileState
from compilelint.rulebook import LibRule
from compilelint.syntax import ir
from compilelint.syntax.source import Source


class Look(NamedTuple):
    """Rules, and what they look at: these statements of the top level, all of them if None."""

    rules: tuple[LibRule, ...]
    only: ir.Body | None


def looks(known: FileState, source: Source, rules: Sequence[LibRule]) -> Look | None:
    """What rules want to see of a file whose words they want; None if it is nothing.

    One that wants the whole file lets the others see it too: it is parsed once.
    """
    wanted: dict[int, ir.Stmt] = {}
    chosen: list[LibRule] = []
    whole = False
    answers: dict[object, list[ir.Stmt]] = {}
    for rule in rules:
        if rule.scout is None and (rule.whole or not rule.words):
            whole = True
            chosen.append(rule)
            continue
        asked = rule.scout or rule.words
        if asked not in answers:
            places = rule.scout and _tops(known, rule.scout(known))
            answers[asked] = list(_holding(known, source, rule.words) if places is None else places)
        found = answers[asked]
        if found:
            chosen.append(rule)
            wanted.update((one.pos, one) for one in found)
    if not chosen:
        return None
    return Look(tuple(chosen), None if whole else tuple(wanted[pos] for pos in sorted(wanted)))


def _tops(known: FileState, positions: Iterable[int]) -> Iterable[ir.Stmt]:
    """The statements of the top level that places lie in."""
    lines = {known.module.ir.span(pos).line for pos in positions}
    if lines:
        yield from (one for one in known.module.ir.body if not lines.isdisjoint(known.lines(one)))


def _holding(known: FileState, source: Source, words: Sequence[str]) -> Iterable[ir.Stmt]:
    """The statements of the top level whose text holds a word."""
    for one in known.module.ir.body:
        lines = known.lines(one)
        text = "\n".join(source.lines[lines.start - 1 : lines.stop - 1])
        if any(word in text for word in words):
            yield one
