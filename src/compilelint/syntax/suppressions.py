"""Comments that silence findings: `# compilelint: ignore[CL101] reason`, `ignore-file[...]`, `# noqa: CL101`.

A pragma speaks for its own physical line. On the first or last line of a statement that spans several lines it speaks
for the whole statement; of a compound statement that is the header alone, and a header and its decorators are one
statement. A bare `# noqa` is other linters' word and silences nothing here. Only real comments count, found with the
tokenizer; files that do not hold the words cost one search.
"""

from __future__ import annotations

import io
import re
import tokenize
from bisect import bisect_left
from collections.abc import Collection, Iterable, Iterator
from dataclasses import field
from typing import Literal

from compilelint.model import Span
from compilelint.model.patterns import late_pattern
from compilelint.model.slotted import dataclass
from compilelint.syntax.source import Source

# A `#` before a digit is the number of an issue; any other begins the next comment.
_OURS = late_pattern(r"#\s*compilelint\s*:\s*(?P<body>(?:[^#]|#(?=[0-9]))*)", re.IGNORECASE)
_BODY = late_pattern(r"(?P<word>[A-Za-z-]+)\s*(?P<list>\[(?P<codes>[^\]]*)(?P<close>\])?)?\s*(?P<reason>.*)", re.DOTALL)
_NOQA = late_pattern(r"#\s*noqa\s*:\s*(?P<codes>[A-Z]+[0-9]+(?:[\s,]+[A-Z]+[0-9]+)*)", re.IGNORECASE)
_CODE = late_pattern(r"[A-Z]{2,10}[0-9]{3}")  # those of packs too
_OWN_CODE = late_pattern(r"CL[0-9]{3}")  # behind `noqa`, a word of all linters, only ours
_OURS_SOMEWHERE = late_pattern(r"compilelint\s*:", re.IGNORECASE)
_NOQA_SOMEWHERE = late_pattern(r"noqa\s*:", re.IGNORECASE)
_CODE_SOMEWHERE = late_pattern(r"CL[0-9]", re.IGNORECASE)
# Characters of all tokens' lines: Python 3.12 copies the line for each token, so that one line of many takes for ever.
_MOST_SEEN = 10_000_000_000
_SILENT = (tokenize.NL, tokenize.COMMENT, tokenize.INDENT, tokenize.DEDENT, tokenize.ENCODING, tokenize.ENDMARKER)


@dataclass(frozen=True, slots=True)
class Pragma:
    """One suppression. `codes` is empty where it silences every rule; `span` is its own text within the comment
    (`# compilelint: ignore[CL101]`, without the reason); it covers lines `first` to `last`, both included.
    """

    kind: Literal["ignore", "ignore-file", "noqa"]
    codes: tuple[str, ...]
    reason: str
    span: Span
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class Malformed:
    """A comment that means to be a pragma and is none; it silences nothing."""

    span: Span
    message: str


@dataclass(frozen=True, slots=True)
class Unused:
    """A pragma that silenced nothing; `codes` are those of its codes that did not, empty for all of a bare one."""

    pragma: Pragma
    codes: tuple[str, ...]

    @property
    def entirely(self) -> bool:
        """Whether the whole pragma can go, not only some of its codes."""
        return len(self.codes) == len(self.pragma.codes)


_BARE = ""


class _Index:
    """The pragmas by where they speak and by code, so that a question costs the same however many there are.

    Each table holds the first pragma by number for every code, and for `_BARE`.
    """

    __slots__ = ("_by_line", "_by_range", "_of_file", "_ranges")

    def __init__(self) -> None:
        self._of_file: dict[str, int] = {}
        self._by_line: dict[int, dict[str, int]] = {}
        self._by_range: dict[tuple[int, int], dict[str, int]] = {}  # of statements: none overlaps another
        self._ranges: list[tuple[int, int]] = []  # the same, in the order of the text and hence of both their ends

    def add(self, number: int, pragma: Pragma) -> None:
        if pragma.kind == "ignore-file":
            table = self._of_file
        elif pragma.first == pragma.last:
            table = self._by_line.setdefault(pragma.first, {})
        else:
            where = (pragma.first, pragma.last)
            if where not in self._by_range:
                self._ranges.append(where)
            table = self._by_range.setdefault(where, {})
        for code in pragma.codes or (_BARE,):
            table.setdefault(code, number)

    def numbers(self, first: int, last: int, code: str) -> Iterator[int]:
        """The pragmas that come into question."""
        for table in (self._of_file, *self._of_lines(first, last), *self._of_ranges(first, last)):
            for word in (code, _BARE):
                if word in table:
                    yield table[word]

    def _of_lines(self, first: int, last: int) -> list[dict[str, int]]:
        lines = self._by_line
        if last - first > len(lines):
            return [table for line, table in lines.items() if first <= line <= last]
        return [lines[line] for line in range(first, last + 1) if line in lines]

    def _of_ranges(self, first: int, last: int) -> Iterator[dict[str, int]]:
        ranges = self._ranges
        for at in range(bisect_left(ranges, first, key=lambda one: one[1]), len(ranges)):
            if ranges[at][0] > last:
                return
            yield self._by_range[ranges[at]]


@dataclass(frozen=True, slots=True)
class Suppressions:
    """All pragmas of a file, in the order of the text."""

    pragmas: tuple[Pragma, ...] = ()
    malformed: tuple[Malformed, ...] = ()
    _index: _Index = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        index = _Index()
        for number, pragma in enumerate(self.pragmas):
            index.add(number, pragma)
        object.__setattr__(self, "_index", index)

    def match(self, line_first: int, line_last: int, code: str) -> Pragma | None:
        """The pragma that silences a finding on those lines (1-based, both included): line pragmas before file ones,
        and of those the one that names the code before a bare one.
        """
        found = self._index.numbers(line_first, line_last, code)
        best = min(found, key=lambda number: (*_weight(self.pragmas[number]), number), default=None)
        return None if best is None else self.pragmas[best]

    def unused(
        self, used: Iterable[tuple[Pragma, str]], active_codes: Collection[str], all_active: bool = True
    ) -> tuple[Unused, ...]:
        """Pragmas that silenced nothing in this run.

        `used` holds (pragma, code) for every silenced finding. Codes of rules that did not run (`active_codes`) are
        not judged, nor are bare pragmas unless every rule ran (`all_active`).
        """
        hits = set(used)
        hit_pragmas = {pragma for pragma, _ in hits}
        result = []
        for pragma in self.pragmas:
            if not pragma.codes:
                if all_active and pragma not in hit_pragmas:
                    result.append(Unused(pragma, ()))
                continue
            idle = tuple(code for code in pragma.codes if code in active_codes and (pragma, code) not in hits)
            if idle:
                result.append(Unused(pragma, idle))
        return tuple(result)


def statement_lines(source: Source) -> dict[int, int]:
    """For each line of a statement but its last: the last, where a comment may stand whatever the statement is."""
    ends: dict[int, int] = {}
    for found in _scan(source.text):
        if isinstance(found, _Statement):
            for first, last in zip(found.edges[::2], found.edges[1::2], strict=False):
                ends.update(dict.fromkeys(range(first, last), last))
    return ends


def _may_hold_pragmas(text: str) -> bool:
    """Whether it is worth to tokenize. The plain search is six times faster than the expression that decides."""
    low = text.lower()
    # The expression takes the Turkish letters for an `i`, too: the dotless one, and the dotted capital, which is an `i`
    # and a combining dot in lower case.
    if "compilelint" in low or "noqa" in low or "\u0131" in low or "\u0307" in low:
        return _OURS_SOMEWHERE.search(text) is not None or any(map(_may_hold_noqa, text.split("\n")))
    return False


def _may_hold_noqa(line: str) -> bool:
    """Whether a code stands behind a `noqa:`. One expression for both would try every code for every `noqa:`."""
    found = _NOQA_SOMEWHERE.search(line)
    return found is not None and _CODE_SOMEWHERE.search(line, found.end()) is not None


def suppressions(source: Source) -> Suppressions:
    """Read the pragmas of a file. A file that does not tokenize keeps those before the fault."""
    if not _may_hold_pragmas(source.text):
        return Suppressions()
    comments: list[tokenize.TokenInfo] = []
    ranges: dict[int, tuple[int, int]] = {}
    for found in _scan(source.text):
        if isinstance(found, _Statement):
            ranges.update(dict.fromkeys(found.edges, (found.edges[0], found.edges[-1])))
        else:
            comments.append(found)
    pragmas: list[Pragma] = []
    malformed: list[Malformed] = []
    for comment in comments:
        line, column = comment.start
        for pragma in _pragmas(comment.string, line, column, ranges.get(line, (line, line)), len(source.lines)):
            if isinstance(pragma, Pragma):
                pragmas.append(pragma)
            else:
                malformed.append(pragma)
    return Suppressions(tuple(pragmas), tuple(malformed))


def _weight(pragma: Pragma) -> tuple[bool, bool]:
    return pragma.kind == "ignore-file", not pragma.codes


@dataclass(frozen=True, slots=True)
class _Statement:
    """First and last line of each logical line of a statement; a decorated one has several logical lines."""

    edges: tuple[int, ...]


def _scan(text: str) -> Iterator[tokenize.TokenInfo | _Statement]:
    """The comments and the statements of a text, in the order in which they end."""
    edges: list[int] = []
    inside = decorator = False
    seen = 0
    try:
        # No Python holds a NUL, and the tokenizer of 3.12 leaves an error behind there that the next call raises
        for token in tokenize.generate_tokens(io.StringIO(text.partition("\0")[0]).readline):
            seen += len(token.line)
            if seen > _MOST_SEEN:
                return
            if token.type == tokenize.COMMENT:
                yield token
            elif token.type == tokenize.NEWLINE and inside:
                edges.append(token.start[0])
                inside = False
                if not decorator:
                    yield _Statement(tuple(edges))
                    edges = []
            elif not inside and token.type not in _SILENT:
                inside = True
                decorator = token.string == "@"
                edges.append(token.start[0])
    except (tokenize.TokenError, SyntaxError):
        return


def _pragmas(
    comment: str, line: int, column: int, covered: tuple[int, int], file_end: int
) -> Iterator[Pragma | Malformed]:
    """The pragmas in one comment; several may follow each other, each behind its own `#`."""
    for match in _OURS.finditer(comment):
        span = Span(line, column + match.start() + 1, line, column + match.end() + 1)
        yield _own_pragma(match.group("body").rstrip(), match.start("body"), span, column, covered, file_end)
    for match in _NOQA.finditer(comment):
        codes = tuple(code.upper() for code in re.split(r"[\s,]+", match.group("codes")))
        ours = tuple(dict.fromkeys(code for code in codes if _OWN_CODE.fullmatch(code)))
        if ours:
            span = Span(line, column + match.start() + 1, line, column + match.end() + 1)
            yield Pragma("noqa", ours, "", span, *covered)


def _own_pragma(
    body: str, offset: int, span: Span, column: int, covered: tuple[int, int], file_end: int
) -> Pragma | Malformed:
    """Read what stands behind `# compilelint:`; `offset` is where that begins in the comment."""
    parts = _BODY.fullmatch(body)
    word = parts.group("word").lower() if parts else ""
    if parts is None or word not in ("ignore", "ignore-file"):
        return Malformed(span, f"`{body or 'nothing'}` is not a pragma; write `ignore[CL101]` or `ignore-file[CL101]`")
    reason = parts.group("reason").strip()
    codes: tuple[str, ...] = ()
    end = parts.end("word")
    if parts.group("list") is not None:
        if parts.group("close") is None:
            return Malformed(span, "the list of codes has no closing bracket")
        named = [code.strip().upper() for code in parts.group("codes").split(",") if code.strip()]
        if not named:
            return Malformed(span, "the list of codes is empty; leave the brackets out to silence every rule")
        for code in named:
            if not _CODE.fullmatch(code):
                return Malformed(span, f"`{code}` is not a rule code")
        codes = tuple(dict.fromkeys(named))
        end = parts.end("list")
    exact = span._replace(end_column=column + offset + end + 1)
    if word == "ignore-file":
        return Pragma("ignore-file", codes, reason, exact, 1, file_end)
    return Pragma("ignore", codes, reason, exact, *covered)
