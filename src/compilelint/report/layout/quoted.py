"""The source lines that reports quote, read when they are needed.

Guarantee: what is quoted is Python. A file or cell that is refused as Python is not quoted in any format, since it may
be anything (a link to the environment of a job, a key), and neither is a file that lies outside the tree of the report
and outside of installed packages.
"""

from __future__ import annotations

import os

from compilelint.disk.tree import Tree, tree_of
from compilelint.model import Location
from compilelint.report.report import Report
from compilelint.rulebook import UNPARSABLE_FILE
from compilelint.syntax.notebooks import Notebook, is_notebook, notebook_from_bytes, read_notebook
from compilelint.syntax.source import Source, read_source, source_from_bytes
from compilelint.syntax.unreadable import Unreadable

_INSTALLED = frozenset({"site-packages", "dist-packages"})


class Lines:
    """Lines of source files, each file read once; empty where a file cannot be read any more.

    What the report holds as `unsaved` is quoted instead of the file on disk.
    """

    def __init__(self, report: Report) -> None:
        self._unsaved = dict(report.unsaved)
        places = [finding.location for finding in report.findings]
        refused = [one.location for one in report.findings if one.rule.code == UNPARSABLE_FILE.code]
        self._refused = {(one.path, one.cell) for one in refused}
        self._linted = {one.path for one in places}
        self._tree: Tree = tree_of([report.base])
        self._files: dict[str, Source | Notebook | Unreadable] = {}

    def __call__(self, location: Location, number: int) -> str:
        """The 1-based line `number` of the location's file, or of its cell where it is a notebook."""
        path = location.path
        found = self._files.get(path)
        if found is None:
            if not self._may_be_quoted(path):
                return ""
            found = self._files[path] = self._read(path)
        if self._refused and (path, location.cell) in self._refused:
            return ""
        if isinstance(found, Notebook):
            return found.line(location.cell or 0, number)
        return "" if isinstance(found, Unreadable) else found.line(number)

    def text(self, location: Location) -> str:
        """The whole text of the location's file; empty for notebooks, and where no line of it would be quoted."""
        self(location, 1)
        found = self._files.get(location.path)
        return found.text if isinstance(found, Source) and (location.path, None) not in self._refused else ""

    def _may_be_quoted(self, path: str) -> bool:
        if path in self._linted or path in self._unsaved or self._tree.holds(path):
            return True
        return any(part in _INSTALLED for part in os.path.realpath(path).replace(os.sep, "/").split("/"))

    def _read(self, path: str) -> Source | Notebook | Unreadable:
        data = self._unsaved.get(path)
        if is_notebook(path):
            return read_notebook(path) if data is None else notebook_from_bytes(path, data)
        return read_source(path) if data is None else source_from_bytes(path, data)
