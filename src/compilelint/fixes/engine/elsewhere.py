"""The other files that a fix may change: those that are linted, and no others.

A cause may lie in a helper of another file than the call that pays for it, so a rewrite may ask for that file's code.
Guarantee: code is only given of files that the run lints; who asks for another one is refused, and why is kept in
words, once a file. Does not belong here: how edits of several files are put together (`engine.edits`).
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator

from compilelint.fixes.engine.code import Code
from compilelint.syntax.source import Source, read_source

_MOST_FILES = 500  # that are searched for a word
NOT_LINTED = "is not among the linted files, so no fix changes it"


class Elsewhere:
    """Files beside the one that is looked at. `linted` are absolute paths with `/`, `home` that of the file itself."""

    def __init__(self, linted: Collection[str], home: str) -> None:
        self._linted = linted
        self._home = home
        self._known: dict[str, Code | None] = {}
        self.refused: dict[str, str] = {}

    def naming(self, word: str) -> Iterator[str]:
        """The linted files beside this one whose text holds a word, in the order of their names."""
        for path in sorted(self._linted)[:_MOST_FILES]:
            source = None if path == self._home else read_source(path)
            if isinstance(source, Source) and word in source.text:
                yield path

    def code(self, path: str) -> Code | None:
        """A file as rewrites see it; None where it must not be changed, or cannot be read."""
        if path == self._home:
            return None
        if path not in self._linted:
            self.refused[path] = NOT_LINTED
            return None
        if path not in self._known:
            source = read_source(path)
            tree = source.tree() if isinstance(source, Source) else None
            if isinstance(source, Source) and isinstance(tree, ast.Module):
                self._known[path] = Code(source, tree)
            else:
                self._known[path] = None
        return self._known[path]
