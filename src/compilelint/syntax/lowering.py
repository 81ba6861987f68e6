"""From Python's own syntax tree to the IR: once per file, then the tree is dropped.

`ast` is the scout: it is ten times cheaper than LibCST, which is opened only for files that something is said about.
Nothing is evaluated.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import Any

from compilelint.syntax import ir, places, records
from compilelint.syntax.expressions import BINARY, Expressions, pos_of, unquoted


def lower(
    tree: ast.Module, text: str, path: str, name: str, is_package: bool, numbers: Sequence[int] | None = None
) -> ir.Module:
    """Lower a parsed file. `path` is absolute with `/`, `name` its dotted module name.

    `numbers` are those of its lines, where they are not numbered from 1 on.
    """
    wide = {} if text.isascii() else {i: row for i, row in enumerate(_source_lines(text), 1) if not row.isascii()}
    with places.numbered(numbers):
        body = _Lowering().body(tree.body, docstring=True)
    return ir.Module(path, name, is_package, body, wide, numbers)


def _source_lines(text: str) -> list[str]:
    # Not str.splitlines: that also splits at characters which Python's tokenizer does not take for line ends.
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")


class _Lowering(Expressions):
    """One file's walk: statements, functions and classes."""

    def body(self, statements: list[ast.stmt], docstring: bool = False) -> ir.Body:
        if docstring and statements and _is_string(statements[0]):
            statements = statements[1:]
        table = _STATEMENTS
        out = []
        for s in statements:
            lowering = table.get(s.__class__)
            if lowering is not None:
                out.append(lowering(self, s))
        return tuple(out)

    def assign(self, n: ast.Assign) -> ir.Stmt:
        made = self._record(n) if len(n.targets) == 1 and not self.prefix.endswith("<locals>.") else None
        if made is not None:
            return made
        return ir.Assign(pos_of(n), self.exprs(n.targets), self.expr(n.value))

    def _record(self, n: ast.Assign) -> ir.Class | None:
        """The class that `State = namedtuple("State", ...)` makes, where no function runs the statement."""
        target, call = n.targets[0], n.value
        fields = records.fields_of(call)
        if fields is None or not isinstance(target, ast.Name) or not isinstance(call, ast.Call):
            return None
        self.names.add(target.id)
        base, body, at = self.expr(call.func), self._fields(fields), pos_of(n)
        return ir.Class(at, target.id, self.prefix + target.id, (base,), (), (), body, at)

    def _fields(self, fields: list[records.Field]) -> ir.Body:
        """The body of a record's class: a line for each field."""
        types = [ir.Name(pos_of(place), "object") for _, place, _ in fields]
        return tuple(
            [
                ir.AnnAssign(t.pos, ir.Name(t.pos, name), t, self.maybe(default))
                for t, (name, _, default) in zip(types, fields, strict=True)
            ]
        )

    def aug_assign(self, n: ast.AugAssign) -> ir.Stmt:
        return ir.AugAssign(pos_of(n), self.expr(n.target), BINARY[n.op.__class__], self.expr(n.value))

    def ann_assign(self, n: ast.AnnAssign) -> ir.Stmt:
        annotation = self.expr(unquoted(n.annotation))
        return ir.AnnAssign(pos_of(n), self.expr(n.target), annotation, self.maybe(n.value))

    def expr_stmt(self, n: ast.Expr) -> ir.Stmt:
        value = self.expr(n.value)
        return ir.ExprStmt(value.pos, value)

    def return_(self, n: ast.Return) -> ir.Stmt:
        return ir.Return(pos_of(n), self.maybe(n.value))

    def if_(self, n: ast.If) -> ir.Stmt:
        pos, arms = pos_of(n), []
        while True:  # an elif is an If alone in the else body: flattened here, because chains can be thousands long
            arms.append((self.expr(n.test), self.body(n.body)))
            rest = n.orelse
            if len(rest) == 1 and isinstance(rest[0], ast.If):
                n = rest[0]
            else:
                return ir.If(pos, tuple(arms), self.body(rest))

    def for_(self, n: ast.For | ast.AsyncFor) -> ir.Stmt:
        is_async = isinstance(n, ast.AsyncFor)
        target, iterable = self.expr(n.target), self.expr(n.iter)
        return ir.For(pos_of(n), target, iterable, self.body(n.body), self.body(n.orelse), is_async)

    def while_(self, n: ast.While) -> ir.Stmt:
        return ir.While(pos_of(n), self.expr(n.test), self.body(n.body), self.body(n.orelse))

    def try_(self, n: Any) -> ir.Stmt:
        handlers = tuple([self.handler(h) for h in n.handlers])
        star = n.__class__ is not ast.Try
        return ir.Try(pos_of(n), self.body(n.body), handlers, self.body(n.orelse), self.body(n.finalbody), star)

    def handler(self, n: ast.ExceptHandler) -> ir.Handler:
        if n.name:
            self.names.add(n.name)
        return ir.Handler(pos_of(n), self.maybe(n.type), n.name, self.body(n.body))

    def with_(self, n: ast.With | ast.AsyncWith) -> ir.Stmt:
        items = tuple([(self.expr(i.context_expr), self.maybe(i.optional_vars)) for i in n.items])
        return ir.With(pos_of(n), items, self.body(n.body), isinstance(n, ast.AsyncWith))

    def raise_(self, n: ast.Raise) -> ir.Stmt:
        return ir.Raise(pos_of(n), self.maybe(n.exc), self.maybe(n.cause))

    def assert_(self, n: ast.Assert) -> ir.Stmt:
        return ir.Assert(pos_of(n), self.expr(n.test), self.maybe(n.msg))

    def delete(self, n: ast.Delete) -> ir.Stmt:
        return ir.Delete(pos_of(n), self.exprs(n.targets))

    def scope(self, n: ast.Global | ast.Nonlocal) -> ir.Stmt:
        self.outer_names.update(n.names)
        return ir.Scope(pos_of(n), "global" if isinstance(n, ast.Global) else "nonlocal", tuple(n.names))

    def import_(self, n: ast.Import) -> ir.Stmt:
        self.names.update(a.asname or a.name.partition(".")[0] for a in n.names)
        return ir.Import(pos_of(n), tuple([(a.name, a.asname) for a in n.names]))

    def import_from(self, n: ast.ImportFrom) -> ir.Stmt:
        self.names.update(a.asname or a.name for a in n.names)
        return ir.ImportFrom(pos_of(n), n.module or "", n.level, tuple([(a.name, a.asname) for a in n.names]))

    def jump(self, n: ast.Break | ast.Continue | ast.Pass) -> ir.Stmt:
        kind: ir.JumpKind = (
            "break" if isinstance(n, ast.Break) else "continue" if isinstance(n, ast.Continue) else "pass"
        )
        return ir.Jump(pos_of(n), kind)

    def match(self, n: ast.Match) -> ir.Stmt:
        return ir.Match(pos_of(n), self.expr(n.subject), tuple([self.case(c) for c in n.cases]))

    def case(self, n: ast.match_case) -> ir.Case:
        binds: list[str] = []
        values: list[ir.Expr] = []
        options = n.pattern.patterns if isinstance(n.pattern, ast.MatchOr) else [n.pattern]
        classes = [p.cls for p in options if isinstance(p, ast.MatchClass) and not p.patterns and not p.kwd_patterns]
        types = self.exprs(classes) if len(classes) == len(options) else ()
        for p in ast.walk(n.pattern):
            if isinstance(p, (ast.MatchAs, ast.MatchStar)) and p.name:
                binds.append(p.name)
            elif isinstance(p, ast.MatchMapping) and p.rest:
                binds.append(p.rest)
            elif isinstance(p, ast.MatchValue):
                values.append(self.expr(p.value))
        self.names.update(binds)
        pattern = n.pattern
        irrefutable = isinstance(pattern, ast.MatchAs) and pattern.pattern is None and n.guard is None
        guard = self.maybe(n.guard)
        return ir.Case(pos_of(pattern), tuple(binds), tuple(values), types, irrefutable, guard, self.body(n.body))

    def function_def(self, n: ast.FunctionDef | ast.AsyncFunctionDef) -> ir.Stmt:
        self.names.add(n.name)
        decorators = self.exprs(n.decorator_list)
        is_async = isinstance(n, ast.AsyncFunctionDef)

        def body() -> ir.Body:
            return self.body(n.body, docstring=True)

        return self.function(pos_of(n), _head(n), n.name, n.args, body, decorators, n.returns, is_async)

    def class_def(self, n: ast.ClassDef) -> ir.Stmt:
        self.names.add(n.name)
        decorators = self.exprs(n.decorator_list)
        first = n.bases[0] if len(n.bases) == 1 else None
        fields = None if first is None else records.fields_of(first)  # `class State(namedtuple("State", "y"))`
        recorded = isinstance(first, ast.Call) and fields is not None
        bases = (self.expr(first.func),) if isinstance(first, ast.Call) and recorded else self.exprs(n.bases)
        keywords = tuple([(k.arg, self.expr(k.value)) for k in n.keywords])
        saved = self.prefix, self.names, self.self_name
        qualname = self.prefix + n.name
        self.prefix, self.names, self.self_name = qualname + ".", set(), None
        body = (*self._fields(fields or []), *self.body(n.body, docstring=True))
        self.prefix, self.names, self.self_name = saved
        return ir.Class(pos_of(n), n.name, qualname, bases, keywords, decorators, body, _head(n))


def _is_string(n: ast.stmt) -> bool:
    return isinstance(n, ast.Expr) and isinstance(n.value, ast.Constant) and isinstance(n.value.value, str)


def _head(n: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> int:
    """The place of `def name` or `class name`, without decorators and body."""
    word = {ast.FunctionDef: 4, ast.AsyncFunctionDef: 10, ast.ClassDef: 6}[n.__class__]
    return places.pack(n.lineno, n.col_offset, n.lineno, n.col_offset + word + len(n.name.encode("utf-8")))


_STATEMENTS: dict[type[ast.stmt], Callable[[_Lowering, Any], ir.Stmt]] = {
    ast.Assign: _Lowering.assign,
    ast.AugAssign: _Lowering.aug_assign,
    ast.AnnAssign: _Lowering.ann_assign,
    ast.Expr: _Lowering.expr_stmt,
    ast.Return: _Lowering.return_,
    ast.If: _Lowering.if_,
    ast.For: _Lowering.for_,
    ast.AsyncFor: _Lowering.for_,
    ast.While: _Lowering.while_,
    ast.Try: _Lowering.try_,
    ast.With: _Lowering.with_,
    ast.AsyncWith: _Lowering.with_,
    ast.Raise: _Lowering.raise_,
    ast.Assert: _Lowering.assert_,
    ast.Delete: _Lowering.delete,
    ast.Global: _Lowering.scope,
    ast.Nonlocal: _Lowering.scope,
    ast.Import: _Lowering.import_,
    ast.ImportFrom: _Lowering.import_from,
    ast.Pass: _Lowering.jump,
    ast.Break: _Lowering.jump,
    ast.Continue: _Lowering.jump,
    ast.Match: _Lowering.match,
    ast.FunctionDef: _Lowering.function_def,
    ast.AsyncFunctionDef: _Lowering.function_def,
    ast.ClassDef: _Lowering.class_def,
}
if hasattr(ast, "TryStar"):  # Python 3.11
    _STATEMENTS[ast.TryStar] = _Lowering.try_
