"""Patterns of names, matched in time that is linear in the name: those of .gitignore files, and `fnmatch`'s.

A pattern comes from the linted tree, so it may be made to hang its matcher. Nothing here backtracks: what
stands between the stars of a pattern is looked for from left to right, and the patterns of one list are one automaton
over the segments of a path, walked once. Decides as pathspec's `GitIgnoreSpec` 1.1 does, which a test holds it against.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import field

from compilelint.model.slotted import dataclass

MAX_WILDCARDS = 5_000
"""Patterns with wildcards that one list may hold: each costs time for every path."""

_BY_FOLDER = 1_000
_WHOLE, _THROUGH_A_FOLDER = 2, 1  # how heavy a match weighs: of the path itself, or of a folder above it


class NoGlobError(ValueError):
    """The text is no pattern."""


class Wildcard:
    """One glob over one text: `*` any characters, `?` one, `[a-z]` and `[!a-z]` one of a class."""

    __slots__ = ("_first", "_last", "_least", "_middle", "_starred")

    def __init__(self, pieces: Sequence[_Piece]) -> None:
        self._starred = len(pieces) > 1
        self._first, self._last = pieces[0], pieces[-1]
        self._middle = [piece for piece in pieces[1:-1] if piece.length]
        self._least = sum([piece.length for piece in pieces])

    def matches(self, text: str) -> bool:
        """Whether the whole text is meant."""
        if len(text) < self._least:
            return False
        if not self._starred:
            return len(text) == self._least and self._first.at(text, 0)
        end = len(text) - self._last.length
        if not (self._first.at(text, 0) and self._last.at(text, end)):
            return False
        at = self._first.length
        for piece in self._middle:  # at its first place: what a later place allows, the first does too
            at = piece.find(text, at, end)
            if at < 0:
                return False
            at += piece.length
        return at <= end


class _Piece:
    """What stands between two stars: always as long as `length`."""

    __slots__ = ("_classes", "_text", "length")

    def __init__(self, characters: Sequence[str]) -> None:
        """Of characters, and of classes as expressions (two characters and more)."""
        self.length = len(characters)
        plain = all(len(one) == 1 for one in characters)
        self._text = "".join(characters) if plain else ""
        self._classes = (
            None
            if plain
            else re.compile("".join([re.escape(one) if len(one) == 1 else one for one in characters]), re.DOTALL)
        )

    def at(self, text: str, position: int) -> bool:
        if self._classes is None:
            return text.startswith(self._text, position)
        return self._classes.match(text, position) is not None

    def find(self, text: str, start: int, end: int) -> int:
        if self._classes is None:
            return text.find(self._text, start, end)
        found = self._classes.search(text, start, end)
        return -1 if found is None else found.start()


def wildcard(pattern: str, *, escapes: bool = False) -> Wildcard:
    """A glob as `fnmatch.fnmatchcase` reads it; with `escapes` as git does, a backslash before what is meant as it is.

    Raises NoGlobError, with `escapes` only: for a class that is not closed, and for a backslash at the end.
    """
    pieces: list[list[str]] = [[]]
    at, end = 0, len(pattern)
    while at < end:
        char = pattern[at]
        at += 1
        if char == "\\" and escapes:
            if at == end:
                raise NoGlobError("a backslash at its end")
            pieces[-1].append(pattern[at])
            at += 1
        elif char == "*":
            if len(pieces) == 1 or pieces[-1]:
                pieces.append([])
        elif char == "?":
            pieces[-1].append("(?:.)")
        elif char == "[":
            close = _end_of_class(pattern, at, "!^" if escapes else "!")
            if close < 0 and escapes:
                raise NoGlobError("a class that is not closed")
            if close < 0:
                pieces[-1].append("[")
            else:
                pieces[-1].append(_class(pattern[at:close], "!^" if escapes else "!"))
                at = close + 1
        else:
            pieces[-1].append(char)
    return Wildcard([_Piece(piece) for piece in pieces])


def _end_of_class(pattern: str, at: int, negations: str) -> int:
    if pattern[at : at + 1] and pattern[at] in negations:
        at += 1
    if pattern[at : at + 1] == "]":
        at += 1
    return pattern.find("]", at)


def _class(inside: str, negations: str) -> str:
    """A class as an expression of `re`; one without members matches nothing."""
    negated = inside[0] in negations
    members = inside[1:] if negated else inside
    parts = []
    at = 0
    while at < len(members):
        last = members[at + 2] if members[at + 1 : at + 2] == "-" and at + 2 < len(members) else members[at]
        if members[at] <= last:
            parts.append(f"{re.escape(members[at])}-{re.escape(last)}")
        at += 3 if members[at + 1 : at + 2] == "-" and at + 2 < len(members) else 1
    if not parts:
        return "(?:.)" if negated else "(?!)."
    return f"[{'^' if negated else ''}{''.join(parts)}]"


# ------------------------------------------------------------- lists of patterns


@dataclass(frozen=True, slots=True)
class _End:
    """A pattern ends here: its number in the list, whether it wants a `/` behind, and how it weighs then."""

    number: int
    wants_slash: bool
    weight: int


@dataclass(eq=False, slots=True)
class _Node:
    """A place in the patterns: where each segment leads, and whether any number of segments leads back here."""

    loops: bool = False
    names: dict[str, _Node] = field(default_factory=dict)
    globs: list[tuple[Wildcard, _Node]] = field(default_factory=list)
    by_text: dict[str, _Node] = field(default_factory=dict)
    any_name: _Node | None = None
    deeper: _Node | None = None
    ends: list[_End] = field(default_factory=list)

    def step(self, segment: str) -> _Node:
        """The node behind a segment, made if there is none."""
        if segment == "**":
            if self.deeper is None:
                self.deeper = _Node(loops=True)
            return self.deeper
        if segment == "*":
            if self.any_name is None:
                self.any_name = _Node()
            return self.any_name
        known = self.by_text.get(segment)
        if known is None:
            known = _Node()
            if _is_plain(segment):
                self.names[segment] = known
            else:
                self.globs.append((wildcard(segment, escapes=True), known))
            self.by_text[segment] = known
        return known


def _is_plain(segment: str) -> bool:
    return not any(mark in segment for mark in "*?[\\")


@dataclass(frozen=True, slots=True)
class _Match:
    weight: int = 0
    number: int = -1

    def or_better(self, weight: int, number: int) -> _Match:
        return _Match(weight, number) if (weight, number) > (self.weight, self.number) else self


class IgnoreList:
    """The patterns of one .gitignore file, or of a setting that is written like one."""

    def __init__(self, lines: Iterable[str]) -> None:
        """Raises NoGlobError for a line that is no pattern, and for too many with wildcards."""
        self._root = _Node()
        self._includes: list[bool] = []
        self._wildcards = 0
        self._always: list[_End] = []  # at any path, or at any that holds a `/`
        self._by_folder: dict[str, tuple[tuple[_Node, ...], _Match]] = {}
        for line in lines:
            self.add(line)

    def decides(self, path: str) -> bool | None:
        """True: ignored; False: a `!` pattern takes it back; None: no pattern speaks of it.

        `path` is relative with `/` between segments; one of a folder ends in `/`.
        """
        if not self._includes:
            return None
        folder, _, name = path.rstrip("/").rpartition("/")
        active, best = self._below(folder)
        is_folder = path.endswith("/")
        best = self._arrive(_next(active, name), is_folder, best)
        for end in self._always:
            if not end.wants_slash or "/" in path:
                best = best.or_better(end.weight, end.number)
        return self._includes[best.number] if best.number >= 0 else None

    def _below(self, folder: str) -> tuple[tuple[_Node, ...], _Match]:
        """Where the patterns stand once a folder is entered, and the best that matched it or a folder above."""
        known = self._by_folder.get(folder)
        if known is None:
            active, best = _closed([self._root]), _Match()
            for name in folder.split("/") if folder else ():
                active = _next(active, name)
                best = self._arrive(active, True, best)
            if len(self._by_folder) >= _BY_FOLDER:
                self._by_folder.clear()
            known = self._by_folder[folder] = (active, best)
        return known

    def _arrive(self, active: tuple[_Node, ...], slash_follows: bool, best: _Match) -> _Match:
        for node in active:
            for end in node.ends:
                if slash_follows:
                    best = best.or_better(end.weight, end.number)
                elif not end.wants_slash:
                    best = best.or_better(_WHOLE, end.number)
        return best

    def add(self, line: str) -> None:
        """One more pattern, stronger than those before. Raises NoGlobError; the list is then as it was."""
        text = line if line.endswith("\\ ") else line.rstrip()
        if not text or text.startswith("#") or text == "/":
            return
        includes = not text.startswith("!")
        segments = text[not includes :].split("/")
        only_folders = not segments[-1]
        normal = _normal(segments)
        number = len(self._includes)
        below = normal[-1] == "**"
        end = _End(number, below, _THROUGH_A_FOLDER if only_folders or not below else _WHOLE)
        if normal in (["**"], ["**", "*"], ["**", "*", "**"]):
            everything = not only_folders and not (below and len(normal) > 1)
            self._always.append(_End(number, not everything, _THROUGH_A_FOLDER if only_folders else _WHOLE))
        else:
            self._wildcards += not all(_is_plain(one) or one in ("*", "**") for one in normal)
            if self._wildcards > MAX_WILDCARDS:
                raise NoGlobError(f"more than {MAX_WILDCARDS:,} patterns with wildcards")
            try:
                node = self._root
                for segment in normal[:-1] if below else normal:
                    node = node.step(segment)
            except NoGlobError as error:
                if "closed" in str(error):
                    return  # git passes over a class that is not closed
                raise
            node.ends.append(end)
        self._includes.append(includes)


def _normal(segments: list[str]) -> list[str]:
    """The segments of a pattern from the root of its folder: one without a `/` inside may stand anywhere below."""
    if not segments[0]:
        segments = segments[1:]
    elif (len(segments) == 1 or (len(segments) == 2 and not segments[1])) and segments[0] != "**":
        segments = ["**", *segments]
    if not segments:
        raise NoGlobError("nothing behind its `!`")
    if not segments[-1]:
        segments = [*segments[:-1], "**"]
    return [one for i, one in enumerate(segments) if not (i and one == "**" and segments[i - 1] == "**")]


def _next(active: tuple[_Node, ...], name: str) -> tuple[_Node, ...]:
    """Where the patterns stand behind one more segment of the path."""
    found: list[_Node] = []
    for node in active:
        if node.loops:
            found.append(node)
        if name in node.names:
            found.append(node.names[name])
        if node.any_name is not None:
            found.append(node.any_name)
        for glob, behind in node.globs:
            if glob.matches(name):
                found.append(behind)
    return _closed(found)


def _closed(nodes: list[_Node]) -> tuple[_Node, ...]:
    """The nodes, and those that no segment at all leads to from them; each once."""
    found: dict[int, _Node] = {}
    for node in nodes:
        known: _Node | None = node
        while known is not None:
            found[id(known)] = known
            known = known.deeper
    return tuple(found.values())
