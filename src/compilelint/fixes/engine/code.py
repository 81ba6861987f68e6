"""A file as rewrites see it: which statements stand around a finding, and how a change of one becomes an edit.

LibCST is run on the smallest statement around the finding, not on the file. The statement's whole lines are cut out and
put under an `if 1:` as they are, indentation and all, so that a multi-line string keeps every character; what LibCST
gives back is compared with what was cut, and only the difference becomes an edit. Does not belong here: what any
rewrite does.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Protocol

from compilelint.fixes.engine.lazy_cst import cst, transformer
from compilelint.fixes.engine.observed import Observed
from compilelint.model import Edit, Span
from compilelint.model.slotted import dataclass
from compilelint.syntax.cst import locate
from compilelint.syntax.source import Source
from compilelint.syntax.unreadable import Unreadable

FunctionNode = (ast.FunctionDef, ast.AsyncFunctionDef)

# `if 1:` stands on a line of its own before the statement, so that it may keep its indentation.
_WRAPPER = "if 1:\n"


@dataclass(frozen=True, slots=True)
class Piece:
    """Whole lines of a file that hold one statement, and LibCST's tree of them.

    `node` is what stands at the asked span; `before` counts the lines that precede the piece in the file, less those
    that the wrapper adds.
    """

    first: int
    last: int
    text: str
    wrapped: bool
    module: cst.Module
    node: cst.CSTNode

    def statement(self) -> cst.BaseStatement:
        """The statement itself, without the wrapper."""
        if not self.wrapped:
            return self._only(self.module.body)
        wrapper = self._only(self.module.body)
        assert isinstance(wrapper, cst.If), "the piece was wrapped in an `if`"
        return self._only(wrapper.body.body)

    def _only(self, body: object) -> cst.BaseStatement:
        found = [one for one in body if isinstance(one, cst.BaseStatement)] if isinstance(body, (list, tuple)) else []
        return found[0]

    def edits(self, changed: cst.Module) -> tuple[Edit, ...]:
        """What turns the piece into the changed one: one edit, as short as whole words allow; none if all is equal."""
        new = changed.code
        if self.wrapped:
            new = new.removeprefix(_WRAPPER)
        edit = difference(self.text, new, self.first)
        return () if edit is None else (edit,)

    def replaced(self, old: cst.CSTNode, new: cst.CSTNode | cst.FlattenSentinel[cst.BaseStatement]) -> tuple[Edit, ...]:
        """The edits that put `new` in the place of the node `old` of this piece."""
        put = transformer(lambda one, after: new if one is old else after, enters=lambda one: one is not old)
        changed = self.module.visit(put)
        assert isinstance(changed, cst.Module), "a module stays a module"
        return self.edits(changed)


def difference(old: str, new: str, first_line: int) -> Edit | None:
    """The shortest edit from `old`, which starts at the first column of a line, to `new`; None where they are equal."""
    if old == new:
        return None
    start = 0
    while start < min(len(old), len(new)) and old[start] == new[start]:
        start += 1
    end = 0
    while end < min(len(old), len(new)) - start and old[-1 - end] == new[-1 - end]:
        end += 1
    stop = len(old) - end
    return Edit(
        Span(*_line_and_column(old, start, first_line), *_line_and_column(old, stop, first_line)),
        new[start : len(new) - end],
    )


def _line_and_column(text: str, offset: int, first_line: int) -> tuple[int, int]:
    """Line and column of an offset, both from 1."""
    return first_line + text.count("\n", 0, offset), offset - (text.rfind("\n", 0, offset) + 1) + 1


class OtherFiles(Protocol):
    """The linted files beside the one that is looked at; `refused` says why others must stay, by path."""

    refused: dict[str, str]

    def naming(self, word: str, /) -> Iterator[str]:
        """The files whose text holds a word."""

    def code(self, path: str, /) -> Code | None:
        """A file as rewrites see it; None where it must not be changed, or cannot be read."""


class Code:
    """One file: its source, its `ast`, and pieces of it as LibCST trees. `tree` was built from `source`."""

    def __init__(self, source: Source, tree: ast.Module) -> None:
        self.source = source
        self.tree = tree
        self._paths: dict[Span, list[ast.AST]] = {}
        self.elsewhere: OtherFiles | None = None  # other files that a fix may change; None where it may change none
        self.observed: Observed | None = None  # what names held in runs; None where the program did not run
        self.bound: dict[str, str] | None = None  # what the imports bind, once `imports.bound` looked
        self.rebound: dict[ast.AST, frozenset[str]] = {}  # what functions bind, once `imports.spell` looked

    @cached_property
    def indent(self) -> str:
        """One step of indentation as this file makes it: that of its first block on lines of its own."""
        for node in ast.walk(self.tree):
            body = getattr(node, "body", None)
            if isinstance(node, ast.stmt) and isinstance(body, list) and body[0].lineno > node.lineno:
                outer, inner = (self.source.line(one.lineno) for one in (node, body[0]))
                step = inner[: body[0].col_offset].removeprefix(outer[: node.col_offset])
                if step and not step.strip():
                    return step
        return "    "

    @cached_property
    def width(self) -> int:
        """How long lines may be: as long as the longest of the file, at least 88 and at most 120 characters."""
        return min(max([88, *map(len, self.source.lines)]), 120)

    @cached_property
    def quote(self) -> str:
        """The quote that most plain strings of the file have, docstrings left out; double where neither leads."""
        counts = {"'": 0, '"': 0}
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.lineno == node.end_lineno:
                written = self.source.line(node.lineno)[self.source.column(node.lineno, node.col_offset) - 1 :]
                if written[:1] in counts and written[:3] not in ("'''", '"""'):
                    counts[written[0]] += 1
        return "'" if counts["'"] > counts['"'] else '"'

    @cached_property
    def attributes(self) -> frozenset[str]:
        """The names of all attributes that the file reads or writes."""
        return frozenset(node.attr for node in ast.walk(self.tree) if isinstance(node, ast.Attribute))

    def span(self, node: ast.expr | ast.stmt) -> Span:
        """Where a node stands, in the model's count."""
        end_line, end = node.end_lineno or node.lineno, node.end_col_offset or node.col_offset
        return Span(
            node.lineno,
            self.source.column(node.lineno, node.col_offset),
            end_line,
            self.source.column(end_line, end),
        )

    def text(self, node: ast.expr | ast.stmt) -> str | None:
        """A node as it stands in the file; None where it spans lines."""
        span = self.span(node)
        if span.line != span.end_line:
            return None
        return self.source.line(span.line)[span.column - 1 : span.end_column - 1]

    def path(self, span: Span) -> list[ast.AST]:
        """The nodes around a span from the module down to the innermost one, those without a place left out."""
        known = self._paths.get(span)
        if known is not None:  # every rewrite that is tried for a finding asks again
            return known
        found: list[ast.AST] = [self.tree]
        while True:
            inner = next((child for child in _placed_children(found[-1]) if self._holds(child, span)), None)
            if inner is None:
                self._paths[span] = found
                return found
            found.append(inner)

    def around(self, node: ast.AST) -> list[ast.AST]:
        """The nodes above one from the module down to its parent, those without a place left out.

        Unlike `path` it does not trust columns, which Python gives wrongly inside f-strings before 3.12.
        """
        found: list[ast.AST] = []
        above = self._above.get(id(node))
        while above is not None:
            if isinstance(above, (ast.expr, ast.stmt, ast.mod)):
                found.append(above)
            above = self._above.get(id(above))
        return found[::-1]

    @cached_property
    def _above(self) -> dict[int, ast.AST]:
        above: dict[int, ast.AST] = {}
        todo: list[ast.AST] = [self.tree]
        while todo:  # spelled out, for `ast.walk` takes four times as long, and files with fixes are long
            node = todo.pop()
            for name in node._fields:
                value = getattr(node, name, None)
                for child in value if isinstance(value, list) else (value,):
                    if isinstance(child, ast.AST):
                        above[id(child)] = node
                        if child._fields:  # no operator or context: these are one object for all places
                            todo.append(child)
        return above

    def _holds(self, node: ast.expr | ast.stmt, span: Span) -> bool:
        if node.lineno > span.line or (node.end_lineno or node.lineno) < span.end_line:
            return False  # nearly every node of a long file, and columns cost more to compare than lines
        own = self.span(node)
        return own[:2] <= span[:2] and span[2:] <= own[2:]

    def function(self, span: Span) -> ast.FunctionDef | ast.AsyncFunctionDef | None:
        """The innermost function around a span."""
        return next((one for one in reversed(self.path(span)) if isinstance(one, FunctionNode)), None)

    def piece(self, statement: ast.stmt, span: Span) -> Piece | None:
        """The statement's lines as a LibCST tree with the node at `span`.

        None where the statement shares its lines with others, or where LibCST cannot read it.
        """
        decorators: list[ast.expr] = getattr(statement, "decorator_list", [])
        first = min([statement.lineno, *(one.lineno for one in decorators)])
        last = statement.end_lineno or statement.lineno
        lines = self.source.lines[first - 1 : last]
        indent = lines[0][: len(lines[0]) - len(lines[0].lstrip(" \t"))]
        if self.source.column(first, statement.col_offset) - 1 != len(indent) or lines[0].startswith(
            "elif", len(indent)
        ):
            return None
        text = "\n".join(lines)
        wrapped = bool(indent)
        shift = (2 if wrapped else 1) - first
        cut = Source(self.source.path, (_WRAPPER if wrapped else "") + text, ascii=text.isascii())
        wanted = Span(span.line + shift, span.column, span.end_line + shift, span.end_column)
        located = locate(cut, [wanted])
        if isinstance(located, Unreadable) or located.module.code != cut.text:
            return None
        node = located.exact.get(wanted)
        piece = None if node is None else Piece(first, last, text, wrapped, located.module, node)
        if piece is None or len(_body(piece)) != 1:
            return None
        return piece


def _body(piece: Piece) -> list[object]:
    """The statements of the piece; more than one where others share its lines."""
    wrapper = piece.module.body[0]
    block = wrapper.body.body if piece.wrapped and isinstance(wrapper, cst.If) else piece.module.body
    statements: list[object] = list(block)
    if len(statements) == 1 and isinstance(statements[0], cst.SimpleStatementLine):
        return list(statements[0].body)
    return statements


def _placed_children(node: ast.AST) -> Iterator[ast.expr | ast.stmt]:
    """The nearest nodes below that have a place; arguments, comprehensions and the like are looked through."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, (ast.expr, ast.stmt)):
            yield child
        else:
            yield from _placed_children(child)


def names_in(node: ast.AST, keep: Callable[[ast.Name], bool]) -> Iterator[ast.Name]:
    """The plain names below a node that satisfy `keep`."""
    return (one for one in ast.walk(node) if isinstance(one, ast.Name) and keep(one))


def is_store(name: ast.Name) -> bool:
    """Whether a name is written or deleted there."""
    return not isinstance(name.ctx, ast.Load)
