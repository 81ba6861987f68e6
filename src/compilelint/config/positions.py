"""Where the keys of a TOML text stand: `tomllib` gives values and no lines, and errors need both.

Works on texts that `tomllib` has accepted, so it may be lenient: it only has to keep strings, brackets and comments
apart. Every key, every table and every item of an array gets its line; a path holds keys and positions in arrays:
`("targets", 0, "model")`.
"""

from __future__ import annotations

import re
from bisect import bisect_right

from compilelint.model.patterns import late_pattern

Path = tuple[str | int, ...]

_BLANK = late_pattern(r"(?:[ \t\r\n]|#[^\n]*)*")
_SPACES = late_pattern(r"[ \t]*")
_REST = late_pattern(r"[^\n]*")
_BARE = late_pattern(r"[^\s,\]}#]+")
_KEY = late_pattern(r"\"(?:[^\"\\\n]|\\.)*\"|'[^'\n]*'|[A-Za-z0-9_-]+")
_STRING = late_pattern(
    r'"""(?:[^"\\]|\\.|"(?!""))*"{3,5}' + r"|'''(?:[^']|'(?!''))*'{3,5}" + r'|"(?:[^"\\\n]|\\.)*"' + r"|'[^'\n]*'",
    re.DOTALL,
)


def lines_of(text: str) -> dict[Path, int]:
    """The 1-based line of everything that has a name or a position in the text."""
    return _Scan(text).document()


class _Scan:
    """One walk over the text."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.found: dict[Path, int] = {}
        self._starts = [0, *(match.end() for match in re.finditer("\n", text))]
        self._counts: dict[Path, int] = {}  # how many tables an array of tables has so far

    def document(self) -> dict[Path, int]:
        table: Path = ()
        while self._skip(_BLANK) and self.at < len(self.text):
            if self.text[self.at] == "[":
                table = self._header()
            else:
                self._pair(table)
            self._skip(_REST)
        return self.found

    def _header(self) -> Path:
        """`[a.b]` or `[[a.b]]`: the path that the keys below it belong to."""
        start = self.at
        is_array = self.text.startswith("[[", start)
        self.at += 2 if is_array else 1
        path: Path = ()
        parts = self._key()
        for number, part in enumerate(parts, 1):
            path = (*path, part)
            if path in self._counts and (number < len(parts) or not is_array):
                path = (*path, self._counts[path] - 1)  # what is below an array of tables is below its last one
        if is_array:
            self._note(path, start)
            self._counts[path] = self._counts.get(path, 0) + 1
            path = (*path, self._counts[path] - 1)
        self._note(path, start)
        return path

    def _pair(self, table: Path) -> None:
        """`key = value`."""
        start = self.at
        path = table
        for part in self._key():
            path = (*path, part)
            self._note(path, start)
        self.at += 1  # the equals sign
        self._skip(_SPACES)
        self._value(path)

    def _key(self) -> list[str]:
        """The parts of a dotted key, up to what follows it."""
        parts: list[str] = []
        while True:
            self._skip(_SPACES)
            match = _KEY.match(self.text, self.at)
            if match is None:
                return parts
            word = match.group()
            parts.append(word[1:-1] if word[0] in "\"'" else word)
            self.at = match.end()
            self._skip(_SPACES)
            if self.text[self.at : self.at + 1] != ".":
                return parts
            self.at += 1

    def _value(self, path: Path) -> None:
        opening = self.text[self.at : self.at + 1]
        if opening == "[":
            self._items(path)
        elif opening == "{":
            self._inline(path)
        else:
            for pattern in (_STRING, _BARE):
                if self._skip(pattern):
                    return

    def _items(self, path: Path) -> None:
        self.at += 1
        number = 0
        while self._skip(_BLANK) and self.text[self.at : self.at + 1] not in ("]", ""):
            before = self.at
            self._note((*path, number), before)
            self._value((*path, number))
            number += 1
            self._behind_comma(before)
        self.at += 1

    def _inline(self, path: Path) -> None:
        self.at += 1
        while self._skip(_BLANK) and self.text[self.at : self.at + 1] not in ("}", ""):
            before = self.at
            self._pair(path)
            self._behind_comma(before)
        self.at += 1

    def _behind_comma(self, before: int) -> None:
        """Past the comma; a date with a blank in it is two words, and nothing may stand still."""
        while self._skip(_BLANK) and self._skip(_BARE):
            pass
        if self.text[self.at : self.at + 1] == "," or self.at == before:
            self.at += 1

    def _skip(self, pattern: re.Pattern[str]) -> bool:
        match = pattern.match(self.text, self.at)
        if match is not None:
            self.at = match.end()
        return match is not None

    def _note(self, path: Path, offset: int) -> None:
        self.found.setdefault(path, bisect_right(self._starts, offset))
