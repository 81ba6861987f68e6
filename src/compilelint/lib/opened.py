"""A file that is open for rules: its tree, and where its nodes stand, which is worked out once it is asked.

A rule that only looks at some statements of the top level gets a tree of those alone: LibCST needs a second a megabyte.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import libcst as cst

from compilelint.lib.file_state import FileState, Key
from compilelint.lib.places import Keys, places_of
from compilelint.model import Span
from compilelint.syntax.cst import parsed
from compilelint.syntax.positions import Place
from compilelint.syntax.source import Source
from compilelint.syntax.unreadable import Unreadable


class Opened:
    """A tree, and the file it is of. `lines` are those that the tree was parsed from, None for all of them."""

    def __init__(self, source: Source, module: cst.Module, known: FileState, lines: Sequence[int] | None) -> None:
        self.module = module
        self.known = known
        self.around: list[cst.CSTNode] = []
        """The nodes around the one that is visited, outermost first."""
        self._source = source
        self._lines = lines

    @cached_property
    def places(self) -> dict[cst.CSTNode, Place]:
        """Where each node stands in the file."""
        found = places_of(self.module)
        lines = self._lines
        if lines is None:
            return found
        last = len(lines) - 1
        return {
            node: (lines[min(line - 1, last)], column, lines[min(end_line - 1, last)], end)
            for node, (line, column, end_line, end) in found.items()
        }

    @cached_property
    def _keys(self) -> Keys:
        return Keys(self._source.text, self.known)

    def key(self, node: cst.CSTNode) -> Key | None:
        """What the engine calls an expression; None for what is none."""
        place = self.places.get(node)
        return None if place is None else self._keys.of(node, place)

    def span(self, node: cst.CSTNode) -> Span | None:
        """Where a node stands, as the engine counts it: with the parentheses of a tuple. None for another tree's."""
        place = self.places.get(node)
        if place is None:
            return None
        key = self._keys.of(node, place)
        return Span(place[0], place[1] + 1, place[2], place[3] + 1) if key is None else self.known.span(key)


def opened(source: Source, known: FileState) -> Opened | Unreadable:
    """Open a file, or those statements of it that `known` is about; why LibCST refuses it, if it does."""
    lines = None
    if known.only is not None:
        lines = sorted({line for statement in known.only for line in known.lines(statement)})
    text = source if lines is None else source.with_text("".join(f"{source.line(number)}\n" for number in lines))
    module = parsed(text)
    return module if isinstance(module, Unreadable) else Opened(source, module, known, lines)
