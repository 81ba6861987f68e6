"""The source lines that reports quote, read when they are needed."""

from __future__ import annotations

from collections.abc import Iterable

from compilelint.model import Location
from compilelint.syntax.notebooks import Notebook, is_notebook, notebook_from_bytes, read_notebook
from compilelint.syntax.source import Source, read_source, source_from_bytes
from compilelint.syntax.unreadable import Unreadable


class Lines:
    """Lines of source files, each file read once; empty where a file cannot be read any more.

    `unsaved` holds the bytes of files that are not what lies on disk under their path.
    """

    def __init__(self, unsaved: Iterable[tuple[str, bytes]] = ()) -> None:
        self._unsaved = dict(unsaved)
        self._files: dict[str, Source | Notebook | Unreadable] = {}

    def __call__(self, location: Location, number: int) -> str:
        """The 1-based line `number` of the location's file, or of its cell where it is a notebook."""
        path = location.path
        found = self._files.get(path)
        if found is None:
            found = self._files[path] = self._read(path)
        if isinstance(found, Notebook):
            return found.line(location.cell or 0, number)
        return "" if isinstance(found, Unreadable) else found.line(number)

    def _read(self, path: str) -> Source | Notebook | Unreadable:
        data = self._unsaved.get(path)
        if is_notebook(path):
            return read_notebook(path) if data is None else notebook_from_bytes(path, data)
        return read_source(path) if data is None else source_from_bytes(path, data)
