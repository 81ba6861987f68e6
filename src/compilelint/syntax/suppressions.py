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
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from compilelint.model import Span
from compilelint.syntax.source import Source

_OURS = re.compile(r"#\s*compilelint\s*:\s*(?P<body>[^#]*)", re.IGNORECASE)
_BODY = re.compile(r"(?P<word>[A-Za-z-]+)\s*(?P<list>\[(?P<codes>[^\]]*)(?P<close>\])?)?\s*(?P<reason>.*)", re.DOTALL)
_NOQA = re.compile(r"#\s*noqa\s*:\s*(?P<codes>[A-Z]+[0-9]+(?:[\s,]+[A-Z]+[0-9]+)*)", re.IGNORECASE)
_CODE = re.compile(r"CL[0-9]{3}")
_OURS_SOMEWHERE = re.compile(r"compilelint\s*:", re.IGNORECASE)
_NOQA_SOMEWHERE = re.compile(r"noqa\s*:", re.IGNORECASE)
_CODE_SOMEWHERE = re.compile(r"CL[0-9]", re.IGNORECASE)
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

    def covers(self, line_first: int, line_last: int, code: str) -> bool:
        """Whether it silences a finding of that code on those lines."""
        return line_first <= self.last and self.first <= line_last and (not self.codes or code in self.codes)


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


@dataclass(frozen=True, slots=True)
class Suppressions:
    """All pragmas of a file, in the order of the text."""

    pragmas: tuple[Pragma, ...] = ()
    malformed: tuple[Malformed, ...] = ()

    def match(self, line_first: int, line_last: int, code: str) -> Pragma | None:
        """The pragma that silences a finding on those lines (1-based, both included): line pragmas before file ones,
        and of those the one that names the code before a bare one.
        """
        best: Pragma | None = None
        for pragma in self.pragmas:
            if pragma.covers(line_first, line_last, code) and (best is None or _weight(pragma) < _weight(best)):
                best = pragma
        return best

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
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
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
        ours = tuple(dict.fromkeys(code for code in codes if _CODE.fullmatch(code)))
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
