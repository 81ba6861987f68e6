"""Every small mutation of one source file, as an edit of its text.

A comparison swapped, a negation dropped, `and` for `or`, an operand or a condition dropped, a branch always or never
taken, an arm of a conditional expression, a constant changed, a returned value replaced, `min` for `max`, a level of
confidence swapped, a statement removed, an item removed from a table. Left alone are annotations, decorators,
docstrings, `assert`, the texts of errors, blocks for the type checker, bodies of overloads and protocols, which nothing
runs, and `__all__`, which only `import *` reads: nothing of ours is imported so. No edit changes the number of lines,
so that a function stays where it was. `strict=True` of `zip` is an assertion too.
"""

from __future__ import annotations

import ast
import difflib
from collections.abc import Iterator, Sequence
from typing import NamedTuple

_SWAPPED: dict[type[ast.cmpop], str] = {
    ast.Eq: "!=",
    ast.NotEq: "==",
    ast.Lt: "<=",
    ast.LtE: "<",
    ast.Gt: ">=",
    ast.GtE: ">",
    ast.Is: "is not",
    ast.IsNot: "is",
    ast.In: "not in",
    ast.NotIn: "in",
}
_WRITTEN: dict[type[ast.cmpop], str] = {
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Is: "is",
    ast.IsNot: "is not",
    ast.In: "in",
    ast.NotIn: "not in",
}
_CONFIDENCE = {"POSSIBLE": "LIKELY", "LIKELY": "CERTAIN", "CERTAIN": "POSSIBLE"}
_EMPTY = {"list": "[]", "dict": "{}", "set": "set()", "frozenset": "frozenset()", "tuple": "()", "str": '""'}
_PASSED_OVER = (ast.Assert, ast.Raise, ast.Import, ast.ImportFrom, ast.Global, ast.Nonlocal)


class Mutation(NamedTuple):
    """The bytes from `start` to `end` of a text become `instead`; `kind` says in a word what that is."""

    start: int
    end: int
    instead: bytes
    kind: str
    line: int

    def applied(self, text: bytes) -> bytes:
        """The text with the mutation; it has as many lines as before."""
        missing = text[self.start : self.end].count(b"\n") - self.instead.count(b"\n")
        # What took several lines is made up for behind a backslash, which joins lines wherever a space may stand
        padded = self.instead + b" \\\n" * missing + (b" " if missing else b"")
        return text[: self.start] + padded + text[self.end :]

    def diff(self, text: bytes) -> str:
        """The lines that differ, as a unified diff without its head."""
        old, new = (one.decode().splitlines() for one in (text, self.applied(text)))
        return "\n".join(list(difflib.unified_diff(old, new, lineterm="", n=0))[2:])


def mutations(text: bytes) -> list[Mutation]:
    """All mutations of a source text, in its order; a few of them Python does not parse (`parses`)."""
    return sorted(set(_Mutator(text).of(ast.parse(text))))


def guards(text: bytes) -> list[Mutation]:
    """What takes one condition out of a guard: an operand of a test whose branch leaves, a bound, a `del`."""
    mutator = _Mutator(text)
    return sorted({one for node in ast.walk(ast.parse(text)) for one in mutator.guard(node)})


def parses(text: bytes) -> bool:
    """Whether it is Python."""
    try:
        ast.parse(text)
    except SyntaxError:
        return False
    return True


class _Mutator:
    """Walks a tree and yields the edits of its text."""

    def __init__(self, text: bytes) -> None:
        self._text = text
        self._starts = [0]
        for line in text.splitlines(keepends=True):
            self._starts.append(self._starts[-1] + len(line))

    def of(self, node: ast.AST, returns: ast.expr | None = None) -> Iterator[Mutation]:
        """The mutations in a node; `returns` is the annotation of the function around it."""
        if isinstance(node, _PASSED_OVER) or _is_docstring(node) or _for_type_checkers(node) or _is_never_run(node):
            return
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            for child in (*node.args.defaults, *node.args.kw_defaults, *node.body):
                if child is not None:
                    yield from self.of(child, node.returns)
            return
        yield from self._here(node, returns)
        for field, child in ast.iter_fields(node):
            if field in ("annotation", "decorator_list", "type_params", "ops", "op", "ctx"):
                continue
            for one in child if isinstance(child, list) else [child]:
                if isinstance(one, ast.AST) and not (isinstance(one, ast.keyword) and one.arg == "strict"):
                    yield from self.of(one, returns)

    def guard(self, node: ast.AST) -> Iterator[Mutation]:
        """The mutations of one node, if it guards something."""
        match node:
            case ast.If(test=test, body=[*_, ast.Return() | ast.Continue() | ast.Break() | ast.Raise()]):
                for inner in ast.walk(test):
                    if isinstance(inner, ast.BoolOp):
                        yield from self._without_one(inner)
            case ast.Call(func=ast.Name(id="min" | "max"), args=[first, _, *_]) if not isinstance(first, ast.Starred):
                yield self._edit(node, self._bracketed(first), "bound dropped")
            case ast.Delete():
                yield self._edit(node, b"pass", "del dropped")

    def _without_one(self, node: ast.BoolOp) -> Iterator[Mutation]:
        neutral = b"True" if isinstance(node.op, ast.And) else b"False"
        for operand in node.values:
            yield self._edit(operand, neutral, "operand dropped")

    def _here(self, node: ast.AST, returns: ast.expr | None) -> Iterator[Mutation]:
        match node:
            case ast.Compare():
                yield from self._compared(node)
            case ast.BoolOp():
                yield from self._joined(node)
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                yield self._edit(node, self._of(operand), "negation dropped")
            case ast.If(test=test):
                yield self._edit(test, b"True", "always taken")
                yield self._edit(test, b"False", "never taken")
            case ast.IfExp(body=body, orelse=orelse):
                yield self._edit(node, self._bracketed(body), "first arm alone")
                yield self._edit(node, self._bracketed(orelse), "second arm alone")
            case ast.comprehension(ifs=tests):
                for test in tests:
                    yield self._edit(test, b"True", "condition dropped")
            case ast.Constant(value=value) if isinstance(value, bool):
                yield self._edit(node, str(not value).encode(), "constant")
            case ast.Constant(value=value) if isinstance(value, int):
                yield self._edit(node, str(value + 1).encode(), "constant")
            case ast.Return(value=ast.expr() as value):
                yield from self._returned(value, returns)
            case ast.Attribute(value=ast.Name(id="Confidence") as of, attr=attr) if attr in _CONFIDENCE:
                yield self._edit(node, f"{of.id}.{_CONFIDENCE[attr]}".encode(), "confidence")
            case ast.Call(func=ast.Name(id="min" | "max" | "any" | "all") as func):
                other = {"min": b"max", "max": b"min", "any": b"all", "all": b"any"}[func.id]
                yield self._edit(func, other, "extreme or quantifier")
            case ast.Expr(value=ast.Call()) | ast.AugAssign():
                yield self._edit(node, b"pass", "statement removed")
            case ast.Set() | ast.Tuple(ctx=ast.Load()) | ast.List(ctx=ast.Load()):
                yield from self._shortened(node.elts)
            case ast.Dict(keys=keys, values=values):
                yield from self._shortened([key or value for key, value in zip(keys, values, strict=True)], values)
            case ast.Call(func=ast.Attribute(value=ast.Constant(value=str()) as words, attr="split")):
                yield from self._words(words)

    def _compared(self, node: ast.Compare) -> Iterator[Mutation]:
        left = node.left
        for op, right in zip(node.ops, node.comparators, strict=True):
            start, end = self._end(left), self._start(right)
            at = self._text[start:end].find(_WRITTEN[type(op)].encode())
            if at >= 0 and b"#" not in self._text[start:end]:
                first = start + at
                last = first + len(_WRITTEN[type(op)])
                yield Mutation(first, last, _SWAPPED[type(op)].encode(), "comparison", self._line(first))
            left = right

    def _joined(self, node: ast.BoolOp) -> Iterator[Mutation]:
        word, other = (b"and", b"or") if isinstance(node.op, ast.And) else (b"or", b"and")
        if len(node.values) == 2:
            start, end = self._end(node.values[0]), self._start(node.values[1])
            at = self._text[start:end].find(word)
            if at >= 0 and b"#" not in self._text[start:end]:
                yield Mutation(start + at, start + at + len(word), other, f"{word.decode()} swapped", self._line(start))
        yield from self._without_one(node)

    def _returned(self, value: ast.expr, returns: ast.expr | None) -> Iterator[Mutation]:
        """What the annotation allows instead; None where it is optional."""
        arms = ast.unparse(returns).split(" | ") if returns is not None else []
        if isinstance(value, ast.Constant) and isinstance(value.value, bool):
            return
        if arms == ["bool"]:
            yield self._edit(value, b"not (" + self._of(value) + b")", "returned value")
        elif "None" in arms and not (isinstance(value, ast.Constant) and value.value is None):
            yield self._edit(value, b"None", "returned value")
        elif len(arms) == 1 and (empty := _empty(arms[0])):
            yield self._edit(value, empty.encode(), "returned value")

    def _shortened(self, items: Sequence[ast.expr], ends: Sequence[ast.expr] = ()) -> Iterator[Mutation]:
        """A table of constants without one of its items."""
        if len(items) < 3 or not all(isinstance(item, (ast.Constant, ast.Attribute, ast.Name)) for item in items):
            return
        for index in range(len(items) - 1):
            last = (ends or items)[index]
            start, after = self._start(items[index]), self._text.find(b",", self._end(last)) + 1
            if after and not self._text[self._end(last) : after - 1].strip():
                yield Mutation(start, after, b"", "item removed", self._line(start))

    def _words(self, node: ast.Constant) -> Iterator[Mutation]:
        start, end = self._start(node), self._end(node)
        for word in str(node.value).split():
            at = self._text.find(b" " + word.encode() + b" ", start, end)
            if at >= 0:
                yield Mutation(at + 1, at + 2 + len(word.encode()), b"", "item removed", self._line(at))

    def _edit(self, node: ast.expr | ast.stmt, instead: bytes, kind: str) -> Mutation:
        return Mutation(self._start(node), self._end(node), instead, kind, node.lineno)

    def _of(self, node: ast.expr) -> bytes:
        return self._text[self._start(node) : self._end(node)]

    def _bracketed(self, node: ast.expr) -> bytes:
        return b"(" + self._of(node) + b")"

    def _start(self, node: ast.expr | ast.stmt) -> int:
        return self._starts[node.lineno - 1] + node.col_offset

    def _end(self, node: ast.expr | ast.stmt) -> int:
        return self._starts[(node.end_lineno or node.lineno) - 1] + (node.end_col_offset or node.col_offset)

    def _line(self, offset: int) -> int:
        return self._text.count(b"\n", 0, offset) + 1


def _empty(annotation: str) -> str:
    """A container of that type with nothing in it; "" where there is none, as of a pair."""
    name, _, inside = annotation.partition("[")
    return "" if name == "tuple" and "..." not in inside else _EMPTY.get(name, "")


def _is_docstring(node: ast.AST) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _for_type_checkers(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"


def _is_never_run(node: ast.AST) -> bool:
    """`__all__`, an overload, a protocol."""
    match node:
        case ast.Assign(targets=[ast.Name(id="__all__")]):
            return True
        case ast.FunctionDef(decorator_list=[ast.Name(id="overload")]):
            return True
        case ast.ClassDef(bases=[ast.Name(id="Protocol")]):
            return True
    return False
