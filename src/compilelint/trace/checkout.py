"""Where the lines of a job's files are in this checkout: by the end of the path, and by what the line reads.

A job ran elsewhere, and perhaps an older commit: its path is `/workspace/run7/src/net.py`, ours `src/net.py`, and line
40 may be line 52 by now. Nothing is opened by a path that a log names; files of the checkout are only compared with it.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Literal, NamedTuple, TypeAlias

from compilelint.disk.read import NotReadError, read_bytes

Match: TypeAlias = Literal["same", "moved", "changed", "unchecked", "ambiguous", "elsewhere"]

_MOST_FILES = 200_000
_MOST_BYTES = 5_000_000
_MOST_READ = 2_000
_NOT_SOURCE = frozenset({"node_modules", "__pycache__", "site-packages", "dist-packages"})


class Here(NamedTuple):
    """Where a line is: `path` is absolute and empty where it is not here.

    `match` says how sure that is: the line reads the `same`, it was `moved` there by its text, it has `changed`, the
    log does not say what it read (`unchecked`), several files fit (`ambiguous`), or none does (`elsewhere`).
    """

    path: str
    line: int
    match: Match


class Checkout:
    """The Python files below a folder, by name."""

    def __init__(self, top: str) -> None:
        self.top = os.path.abspath(top)
        self._by_name: dict[str, list[str]] = {}
        self._lines: dict[str, list[str]] = {}
        self._known: dict[str, tuple[list[str], bool]] = {}
        for number, path in enumerate(_python_files(self.top)):
            if number >= _MOST_FILES:
                break
            self._by_name.setdefault(os.path.basename(path), []).append(path)

    def place(self, path: str, line: int, code: str = "", function: str = "") -> Here:
        """The place of a job's line; `code` is what the log says that the line reads.

        Where it says nothing, the line is where `function` begins.
        """
        found, by_name_alone = self._candidates(path)
        if len(found) > 1:
            reading = [one for one in found if self._reads(one, line, code, function)]
            found = reading if len(reading) == 1 else found
        if len(found) > 1:
            return Here("", line, "ambiguous")
        if not found or (by_name_alone and not self._reads(found[0], line, code, function)):
            return Here("", line, "elsewhere")
        return self._line(found[0], line, code, function)

    def _reads(self, path: str, line: int, code: str, function: str) -> bool:
        """Whether a file has the line anywhere."""
        lines = self.lines(path)
        return bool(_nearest(lines, line, code) if code else _beginning(lines, line, function))

    def _line(self, path: str, line: int, code: str, function: str) -> Here:
        lines = self.lines(path)
        if not code:
            begins = _beginning(lines, line, function)
            if begins:
                return Here(path, begins, "same" if begins == line else "moved")
            inside = 0 < line <= len(lines)
            return Here(path, line, "unchecked") if inside else Here(path, max(len(lines), 1), "changed")
        at = _nearest(lines, line, code)
        if at:
            return Here(path, at, "same" if at == line else "moved")
        return Here(path, min(max(line, 1), max(len(lines), 1)), "changed")

    def _candidates(self, path: str) -> tuple[list[str], bool]:
        """The files that share the longest end of a path, and whether that end is no more than the name.

        The file itself where the job ran here. A path of an installed package shares a folder with it at least.
        """
        known = self._known.get(path)
        if known is not None:
            return known
        parts = [part for part in path.replace("\\", "/").split("/") if part]
        best, found = 0, []
        for one in self._by_name.get(parts[-1], ()) if parts else ():
            shared = len(parts) + 1 if one == path else _shared_end(parts, one.replace(os.sep, "/").split("/"))
            if shared < 2 and _of_a_package(parts):
                continue
            if shared > best:
                best, found = shared, [one]
            elif shared == best:
                found.append(one)
        at_top = [one for one in found if os.path.dirname(one) == self.top]
        self._known[path] = found, best == 1 and not at_top
        return self._known[path]

    def lines(self, path: str) -> list[str]:
        """The lines of a file of the checkout, without blanks around; none where it cannot be read."""
        if path not in self._lines and len(self._lines) < _MOST_READ:
            try:
                text = read_bytes(path, _MOST_BYTES).decode("utf-8", "replace")
            except NotReadError:
                text = ""
            self._lines[path] = [line.strip() for line in text.splitlines()]
        return self._lines.get(path, [])


def _of_a_package(parts: list[str]) -> bool:
    """Whether a path is one of an installed package."""
    return any(part in ("site-packages", "dist-packages") for part in parts)


def _nearest(lines: list[str], line: int, code: str) -> int:
    """The line nearest to one that reads as `code`, 0 where none does."""
    code = code.strip()
    if 0 < line <= len(lines) and _reads(lines[line - 1], code):
        return line
    found = [at for at, text in enumerate(lines, 1) if _reads(text, code)]
    return min(found, key=lambda at: (abs(at - line), at), default=0)


def _beginning(lines: list[str], line: int, function: str) -> int:
    """The line nearest to one at which a function of this name begins, 0 where none does.

    Python counts a function from its first decorator.
    """
    heads = (f"def {function}(", f"async def {function}(")
    if not function.isidentifier():
        return 0
    if 0 < line <= len(lines) and lines[line - 1].startswith("@"):
        below = next((text for text in lines[line : line + 12] if not text.startswith("@")), "")
        if below.startswith(heads):
            return line
    found = [at for at, text in enumerate(lines, 1) if text.startswith(heads)]
    at = min(found, key=lambda one: (abs(one - line), one), default=0)
    while at > 1 and lines[at - 2].startswith("@"):
        at -= 1
    return at


def _reads(text: str, code: str) -> bool:
    """Whether a line reads as a log says, which may be cut."""
    return text == code or (code.endswith("…") and len(code) > 40 and text.startswith(code[:-1]))


def _shared_end(one: list[str], other: list[str]) -> int:
    number = 0
    while number < min(len(one), len(other)) and one[-1 - number] == other[-1 - number]:
        number += 1
    return number


def _python_files(top: str) -> Iterator[str]:
    """The files of the project: not those of environments and hidden folders; links are not followed."""
    for folder, folders, files in os.walk(top):
        folders[:] = sorted(
            name
            for name in folders
            if not name.startswith(".")
            and name not in _NOT_SOURCE
            and not os.path.exists(os.path.join(folder, name, "pyvenv.cfg"))
        )
        yield from (os.path.join(folder, name) for name in sorted(files) if name.endswith(".py"))
