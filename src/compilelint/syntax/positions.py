"""Where each LibCST node stands, and which node stands at a span.

Imports LibCST: only `cst` imports this module, and only where nodes are asked for. One code generation with a
recording state costs a fifth of LibCST's metadata wrapper and gives what its PositionProvider gives (tested on all
nodes of real files). Code generation is recursive: call these on the deep stack.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from types import TracebackType

import libcst as cst
from libcst._nodes.internal import CodegenState

from compilelint.model import Span
from compilelint.model.patterns import late_pattern
from compilelint.syntax.source import Source

# Line, column, end line, end column: lines from 1, columns from 0 in code points, the end exclusive, as LibCST counts.
Place = tuple[int, int, int, int]

_LINE_END = late_pattern(r"\r\n?|\n")

# Nodes that only wrap others: a finding on `return x` stands on the Return, not on its line or block.
_WRAPPERS = (cst.BaseSuite, cst.SimpleStatementLine, cst.Module)
_SPEAKING_MODULES = ("libcst._nodes.expression", "libcst._nodes.statement")


class _Recorder(CodegenState):
    """Follows line and column while code is generated, and notes them for every node."""

    def __init__(self, module: cst.Module) -> None:
        super().__init__(default_indent=module.default_indent, default_newline=module.default_newline)
        self.places: dict[cst.CSTNode, Place] = {}
        self.line = 1
        self.column = 0
        self._starts: list[tuple[int, int]] = []

    def add_token(self, value: str) -> None:
        self.tokens.append(value)  # Module asks whether anything was written
        if "\n" in value or "\r" in value:
            segments = _LINE_END.split(value)
            self.line += len(segments) - 1
            self.column = len(segments[-1])
        else:
            self.column += len(value)

    def add_indent_tokens(self) -> None:
        for token in self.indent_tokens:
            self.add_token(token)

    def before_codegen(self, node: cst.CSTNode) -> None:
        self._starts.append((self.line, self.column))

    def after_codegen(self, node: cst.CSTNode) -> None:
        start = self._starts.pop()
        if node not in self.places:  # what `record_syntactic_position` said is more exact
            self.places[node] = (*start, self.line, self.column)

    def record_syntactic_position(  # type: ignore[override]  # a class is several times faster than a generator
        self, node: cst.CSTNode, *, start_node: cst.CSTNode | None = None, end_node: cst.CSTNode | None = None
    ) -> _Syntactic:
        return _Syntactic(self, node, start_node, end_node)


class _Syntactic:
    """The stretch of a node without the whitespace it owns; starts or ends where a child does, if one is given."""

    __slots__ = ("end_node", "node", "recorder", "start", "start_node")

    def __init__(
        self, recorder: _Recorder, node: cst.CSTNode, start_node: cst.CSTNode | None, end_node: cst.CSTNode | None
    ) -> None:
        self.recorder = recorder
        self.node = node
        self.start_node = start_node
        self.end_node = end_node
        self.start = (recorder.line, recorder.column)

    def __enter__(self) -> None:
        self.start = (self.recorder.line, self.recorder.column)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if error is not None:
            return
        places = self.recorder.places
        start = self.start if self.start_node is None else places[self.start_node][:2]
        end = (self.recorder.line, self.recorder.column) if self.end_node is None else places[self.end_node][2:]
        places[self.node] = (*start, *end)


def positions(module: cst.Module) -> dict[cst.CSTNode, Place]:
    """The place of every node; an inner node comes before the nodes around it."""
    recorder = _Recorder(module)
    module._codegen(recorder)
    return recorder.places


def choose(
    source: Source, places: dict[cst.CSTNode, Place], spans: Collection[Span]
) -> tuple[dict[Span, cst.CSTNode], dict[Span, cst.CSTNode]]:
    """For each span its exact node (outermost expression, else outermost statement), or the innermost one around it."""
    wanted: dict[Place, list[Span]] = {}
    for span in spans:
        for place in spellings(source, span):
            wanted.setdefault(place, []).append(span)
    expressions: dict[Span, cst.CSTNode] = {}
    others: dict[Span, cst.CSTNode] = {}
    for node, place in places.items():
        for span in wanted.get(place, ()):
            if isinstance(node, cst.BaseExpression):
                expressions[span] = node
            elif _speaks(node):
                others[span] = node
    exact = {**others, **expressions}
    around = {}
    for span in spans:
        if span not in exact:
            node_around = _innermost(next(spellings(source, span)), places)
            if node_around is not None:
                around[span] = node_around
    return exact, around


def _speaks(node: cst.CSTNode) -> bool:
    """Whether a node is a thing one can name, not punctuation, whitespace or a mere wrapper."""
    return type(node).__module__ in _SPEAKING_MODULES and not isinstance(node, _WRAPPERS)


def spellings(source: Source, span: Span) -> Iterator[Place]:
    """The span in LibCST's count; for tuples and generators, whose parentheses `ast` counts in, also what is inside."""
    first, last = source.line(span.line), source.line(span.end_line)
    yield span.line, span.column - 1, span.end_line, span.end_column - 1
    if first[span.column - 1 : span.column] != "(" or last[span.end_column - 2 : span.end_column - 1] != ")":
        return
    lines = [source.line(number) for number in range(span.line, span.end_line + 1)]
    lines[-1] = last[: span.end_column - 2]
    start_line, start = 0, span.column
    while start_line < len(lines) - 1 and _blank(lines[start_line][start:]):
        start_line, start = start_line + 1, 0
    start += len(lines[start_line][start:]) - len(lines[start_line][start:].lstrip())
    end_line = len(lines) - 1
    while end_line > start_line and _blank(lines[end_line]):
        end_line -= 1
    end = len(lines[end_line].rstrip())
    yield span.line + start_line, start, span.line + end_line, end


def _blank(text: str) -> bool:
    """Nothing but space, a comment or a continuation."""
    stripped = text.strip()
    return not stripped or stripped == "\\" or stripped.startswith("#")


def _innermost(place: Place, places: dict[cst.CSTNode, Place]) -> cst.CSTNode | None:
    """The smallest speaking node that contains a place."""
    start, end = place[:2], place[2:]
    best: cst.CSTNode | None = None
    best_place: Place = (0, 0, 0, 0)
    for node, found in places.items():
        if found[:2] <= start and end <= found[2:] and _speaks(node):
            inside = best is None or (best_place[:2] <= found[:2] and found[2:] <= best_place[2:])
            if inside and (best is None or found != best_place):
                best, best_place = node, found
    return best
