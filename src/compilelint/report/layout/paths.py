"""How reports name files: relative to the repository, `/` between the parts, the same on every machine and from every
folder.

`Report.base` is the repository (else the project, else the folder that was named). A path is resolved before it is
compared, because code scanning knows files by their place in the repository and not by the links that lead there; a
link that leaves the repository is named as it stands in it.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from urllib.parse import quote

from compilelint.disk.tree import leads_out
from compilelint.model import Location, Span
from compilelint.report.layout.notebook_cells import Notebook
from compilelint.syntax.source import read_bytes
from compilelint.syntax.unreadable import Unreadable

# What RFC 3986 allows in a path segment besides letters, digits and `-._~`, less what shells and logs misread.
_PLAIN = "/@!$&()*+,;="


class Places:
    """Paths of one report, each worked out once."""

    def __init__(self, base: str) -> None:
        self._base = base.rstrip("/")
        self._resolved = _resolved(self._base)
        self._known: dict[str, str] = {}

    def relative(self, path: str) -> str:
        """The path within the repository; what lies outside keeps its absolute path."""
        if path not in self._known:
            inside = _below(_resolved(path), self._resolved) or _below(path, self._base)
            self._known[path] = inside or path
        return self._known[path]

    def uri(self, path: str) -> str:
        """The same, percent-encoded from the bytes of the name: relative inside the repository, else `file://`."""
        relative = self.relative(path)
        quoted = quote(_bytes(relative), safe=_PLAIN)
        if not os.path.isabs(relative):
            return quoted
        return "file://" + ("" if quoted.startswith("/") else "/") + quoted


def _resolved(path: str) -> str:
    try:
        real = os.path.realpath(path)
    except ValueError:  # a null byte: no such file, and still a text that can be reported
        real = path
    return real.replace(os.sep, "/").rstrip("/")


def _bytes(path: str) -> bytes:
    """The bytes of the name on disk; of a text that can be none, UTF-8."""
    try:
        return os.fsencode(path)
    except UnicodeEncodeError:
        return path.encode("utf-8", "surrogatepass")


def _below(path: str, folder: str) -> str:
    """The path relative to a folder around it; empty where it lies elsewhere."""
    return path[len(folder) + 1 :] if path.startswith(f"{folder}/") else ""


class Files:
    """The linted files as web sites show them, each read once and only if a report asks.

    `unsaved` holds the bytes of files that are not what lies on disk under their path.
    """

    def __init__(self, unsaved: Iterable[tuple[str, bytes]] = ()) -> None:
        self._unsaved = dict(unsaved)
        self._texts: dict[str, str] = {}
        self._notebooks: dict[str, Notebook] = {}

    def text(self, path: str) -> str | None:
        """The file as UTF-8 reads it, whatever it says of itself: of Latin-1 an umlaut is U+FFFD, and a byte order mark
        counts. None where it cannot be read (any more).
        """
        if path not in self._texts:
            if path not in self._unsaved and leads_out(path):
                return None
            data = self._unsaved[path] if path in self._unsaved else read_bytes(path)
            if isinstance(data, Unreadable):
                return None
            self._texts[path] = data.decode("utf-8", "replace")
        return self._texts[path]

    def span(self, location: Location) -> Span:
        """The place in the file: a notebook's lines are those of its JSON."""
        if location.cell is None:
            return location.span
        if location.path not in self._notebooks:
            self._notebooks[location.path] = Notebook((self.text(location.path) or "").removeprefix("\ufeff"))
        return self._notebooks[location.path].span(location.cell, location.span) or Span(1, 1, 1, 2)
