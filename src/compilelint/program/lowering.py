"""From Python's own syntax tree to the IR: once per file, then the tree is dropped.

`ast` is the scout: it is ten times cheaper than LibCST, which is opened only for files that something is said about.
Nothing is evaluated. Chains of operators and brackets deeper than `MAX_DEPTH` become `Opaque`, so that neither this
walk nor the interpreter can be driven into a deep recursion by generated code.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Iterable
from typing import Any

from compilelint.program import ir

MAX_DEPTH = 150
_OLD_F_STRINGS = sys.version_info < (3, 12)

_BINARY: dict[type[ast.operator], str] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.MatMult: "@",
    ast.Div: "/",
    ast.Mod: "%",
    ast.Pow: "**",
    ast.LShift: "<<",
    ast.RShift: ">>",
    ast.BitOr: "|",
    ast.BitXor: "^",
    ast.BitAnd: "&",
    ast.FloorDiv: "//",
}
_UNARY: dict[type[ast.unaryop], str] = {ast.Invert: "~", ast.Not: "not", ast.UAdd: "+", ast.USub: "-"}
_COMPARE: dict[type[ast.cmpop], str] = {
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
_CONVERSIONS = {-1: "", 115: "s", 114: "r", 97: "a"}


def lower(tree: ast.Module, text: str, path: str, name: str, is_package: bool) -> ir.Module:
    """Lower a parsed file. `path` is absolute with `/`, `name` its dotted module name."""
    wide = {} if text.isascii() else {i: row for i, row in enumerate(_lines(text), 1) if not row.isascii()}
    body = _Lowering().body(tree.body, docstring=True)
    return ir.Module(path, name, is_package, body, wide, text.count("\n") + 1)


def _lines(text: str) -> list[str]:
    # Not str.splitlines: that also splits at characters which Python's tokenizer does not take for line ends.
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")


def _pos(n: Any) -> int:
    line: int
    column: int
    end_line: int
    end_column: int
    line, column, end_line, end_column = n.lineno, n.col_offset, n.end_lineno, n.end_col_offset
    more = end_line - line
    if column < 16384 and end_column < 16384 and line < 1048576 and 0 <= more < 4096:
        return (line << 40) | (column << 26) | (more << 14) | end_column  # ir.pack, inlined: the hottest line here
    return ir.pack(line, column, end_line, end_column)


class _Lowering:
    """State of one file's walk: the qualified-name prefix, and what the function being read binds and stores."""

    def __init__(self) -> None:
        self.depth = 0
        self.prefix = ""
        self.names: set[str] = set()
        self.outer_names: set[str] = set()
        self.stores: set[str] = set()
        self.self_name: str | None = None
        self.yields = False
        self.mode_reads = 0

    # ------------------------------------------------------------- expressions

    def expr(self, n: ast.expr) -> ir.Expr:
        lowering = _EXPRESSIONS.get(n.__class__)
        if lowering is None or self.depth > MAX_DEPTH:
            return ir.Opaque(_pos(n))
        self.depth += 1
        result = lowering(self, n)
        self.depth -= 1
        return result

    def maybe(self, n: ast.expr | None) -> ir.Expr | None:
        return None if n is None else self.expr(n)

    def exprs(self, nodes: Iterable[ast.expr]) -> tuple[ir.Expr, ...]:
        expr = self.expr
        return tuple([expr(n) for n in nodes])

    def name(self, n: ast.Name) -> ir.Expr:
        if n.ctx.__class__ is not ast.Load:
            self.names.add(n.id)
        return ir.Name(_pos(n), n.id)

    def constant(self, n: ast.Constant) -> ir.Expr:
        return ir.Const(_pos(n), n.value)

    def attribute(self, n: ast.Attribute) -> ir.Expr:
        value = n.value
        if n.ctx.__class__ is not ast.Load and value.__class__ is ast.Name and value.id == self.self_name:
            self.stores.add(n.attr)
        elif n.attr == "training" and value.__class__ is ast.Name and value.id == self.self_name:
            self.mode_reads += 1
        return ir.Attr(_pos(n), self.expr(value), n.attr)

    def call(self, n: ast.Call) -> ir.Expr:
        expr = self.expr
        args = tuple([expr(a) for a in n.args]) if n.args else ()
        keywords = tuple([(k.arg, expr(k.value)) for k in n.keywords]) if n.keywords else ()
        return ir.Call(_pos(n), expr(n.func), args, keywords)

    def binary(self, n: ast.BinOp) -> ir.Expr:
        return ir.Binary(_pos(n), _BINARY[n.op.__class__], self.expr(n.left), self.expr(n.right))

    def unary(self, n: ast.UnaryOp) -> ir.Expr:
        operand = n.operand
        if isinstance(n.op, ast.USub) and isinstance(operand, ast.Constant):
            number = operand.value
            if isinstance(number, (int, float)) and not isinstance(number, bool):
                return ir.Const(_pos(n), -number)
        return ir.Unary(_pos(n), _UNARY[n.op.__class__], self.expr(operand))

    def bool_op(self, n: ast.BoolOp) -> ir.Expr:
        return ir.BoolOp(_pos(n), "and" if isinstance(n.op, ast.And) else "or", self.exprs(n.values))

    def compare(self, n: ast.Compare) -> ir.Expr:
        ops = tuple([_COMPARE[op.__class__] for op in n.ops])
        return ir.Compare(_pos(n), self.expr(n.left), ops, self.exprs(n.comparators))

    def subscript(self, n: ast.Subscript) -> ir.Expr:
        return ir.Index(_pos(n), self.expr(n.value), self.expr(n.slice))

    def slice_(self, n: ast.Slice) -> ir.Expr:
        return ir.Slice(_pos(n), self.maybe(n.lower), self.maybe(n.upper), self.maybe(n.step))

    def tuple_(self, n: ast.Tuple) -> ir.Expr:
        return ir.Display(_pos(n), "tuple", self.exprs(n.elts))

    def list_(self, n: ast.List) -> ir.Expr:
        return ir.Display(_pos(n), "list", self.exprs(n.elts))

    def set_(self, n: ast.Set) -> ir.Expr:
        return ir.Display(_pos(n), "set", self.exprs(n.elts))

    def dict_(self, n: ast.Dict) -> ir.Expr:
        return ir.DictDisplay(_pos(n), tuple([self.maybe(k) for k in n.keys]), self.exprs(n.values))

    def if_exp(self, n: ast.IfExp) -> ir.Expr:
        return ir.IfExp(_pos(n), self.expr(n.test), self.expr(n.body), self.expr(n.orelse))

    def lambda_(self, n: ast.Lambda) -> ir.Expr:
        pos = _pos(n)

        def body() -> ir.Body:
            return (ir.Return(_pos(n.body), self.expr(n.body)),)

        return ir.Lambda(pos, self.function(pos, pos, "<lambda>", n.args, body, (), None, is_async=False))

    def comp(self, n: ast.ListComp | ast.SetComp | ast.GeneratorExp) -> ir.Expr:
        kind = {ast.ListComp: "list", ast.SetComp: "set", ast.GeneratorExp: "generator"}[n.__class__]
        clauses = self.clauses(n.generators)
        return ir.Comp(_pos(n), kind, self.expr(n.elt), None, clauses)

    def dict_comp(self, n: ast.DictComp) -> ir.Expr:
        clauses = self.clauses(n.generators)
        return ir.Comp(_pos(n), "dict", self.expr(n.key), self.expr(n.value), clauses)

    def clauses(self, generators: list[ast.comprehension]) -> tuple[ir.Clause, ...]:
        return tuple(
            [ir.Clause(self.expr(g.target), self.expr(g.iter), self.exprs(g.ifs), bool(g.is_async)) for g in generators]
        )

    def starred(self, n: ast.Starred) -> ir.Expr:
        return ir.Star(_pos(n), self.expr(n.value))

    def f_string(self, n: ast.JoinedStr) -> ir.Expr:
        if _OLD_F_STRINGS:
            # Before 3.12 the parser misplaces what stands inside: the whole string is the place then.
            for part in n.values:
                for inner in ast.walk(part):
                    if hasattr(inner, "lineno"):
                        ast.copy_location(inner, n)
        return ir.FString(_pos(n), self.fields(n.values))

    def fields(self, values: Iterable[Any]) -> tuple[ir.Field, ...]:
        # FormattedValue, or Interpolation in a t-string (3.14): the same fields under the same names.
        return tuple(
            [
                ir.Field(
                    _pos(v),
                    self.expr(v.value),
                    _CONVERSIONS.get(v.conversion, ""),
                    None if v.format_spec is None else ir.FString(_pos(v), self.fields(v.format_spec.values)),
                )
                for v in values
                if not isinstance(v, ast.Constant)
            ]
        )

    def walrus(self, n: ast.NamedExpr) -> ir.Expr:
        self.names.add(n.target.id)
        return ir.Walrus(_pos(n), n.target.id, self.expr(n.value))

    def yield_(self, n: ast.Yield) -> ir.Expr:
        self.yields = True
        return ir.Yield(_pos(n), "yield", self.maybe(n.value))

    def yield_from(self, n: ast.YieldFrom) -> ir.Expr:
        self.yields = True
        return ir.Yield(_pos(n), "from", self.expr(n.value))

    def await_(self, n: ast.Await) -> ir.Expr:
        return ir.Yield(_pos(n), "await", self.expr(n.value))

    # -------------------------------------------------------------- statements

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
        return ir.Assign(_pos(n), self.exprs(n.targets), self.expr(n.value))

    def aug_assign(self, n: ast.AugAssign) -> ir.Stmt:
        return ir.AugAssign(_pos(n), self.expr(n.target), _BINARY[n.op.__class__], self.expr(n.value))

    def ann_assign(self, n: ast.AnnAssign) -> ir.Stmt:
        annotation = self.expr(_unquoted(n.annotation))
        return ir.AnnAssign(_pos(n), self.expr(n.target), annotation, self.maybe(n.value))

    def expr_stmt(self, n: ast.Expr) -> ir.Stmt:
        value = self.expr(n.value)
        return ir.ExprStmt(value.pos, value)

    def return_(self, n: ast.Return) -> ir.Stmt:
        return ir.Return(_pos(n), self.maybe(n.value))

    def if_(self, n: ast.If) -> ir.Stmt:
        pos, arms = _pos(n), []
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
        return ir.For(_pos(n), target, iterable, self.body(n.body), self.body(n.orelse), is_async)

    def while_(self, n: ast.While) -> ir.Stmt:
        return ir.While(_pos(n), self.expr(n.test), self.body(n.body), self.body(n.orelse))

    def try_(self, n: Any) -> ir.Stmt:
        handlers = tuple([self.handler(h) for h in n.handlers])
        star = n.__class__ is not ast.Try
        return ir.Try(_pos(n), self.body(n.body), handlers, self.body(n.orelse), self.body(n.finalbody), star)

    def handler(self, n: ast.ExceptHandler) -> ir.Handler:
        if n.name:
            self.names.add(n.name)
        return ir.Handler(_pos(n), self.maybe(n.type), n.name, self.body(n.body))

    def with_(self, n: ast.With | ast.AsyncWith) -> ir.Stmt:
        items = tuple([(self.expr(i.context_expr), self.maybe(i.optional_vars)) for i in n.items])
        return ir.With(_pos(n), items, self.body(n.body), isinstance(n, ast.AsyncWith))

    def raise_(self, n: ast.Raise) -> ir.Stmt:
        return ir.Raise(_pos(n), self.maybe(n.exc), self.maybe(n.cause))

    def assert_(self, n: ast.Assert) -> ir.Stmt:
        return ir.Assert(_pos(n), self.expr(n.test), self.maybe(n.msg))

    def delete(self, n: ast.Delete) -> ir.Stmt:
        return ir.Delete(_pos(n), self.exprs(n.targets))

    def scope(self, n: ast.Global | ast.Nonlocal) -> ir.Stmt:
        self.outer_names.update(n.names)
        return ir.Scope(_pos(n), "global" if isinstance(n, ast.Global) else "nonlocal", tuple(n.names))

    def import_(self, n: ast.Import) -> ir.Stmt:
        self.names.update(a.asname or a.name.partition(".")[0] for a in n.names)
        return ir.Import(_pos(n), tuple([(a.name, a.asname) for a in n.names]))

    def import_from(self, n: ast.ImportFrom) -> ir.Stmt:
        self.names.update(a.asname or a.name for a in n.names)
        return ir.ImportFrom(_pos(n), n.module or "", n.level, tuple([(a.name, a.asname) for a in n.names]))

    def jump(self, n: ast.stmt) -> ir.Stmt:
        return ir.Jump(_pos(n), n.__class__.__name__.lower())

    def match(self, n: ast.Match) -> ir.Stmt:
        return ir.Match(_pos(n), self.expr(n.subject), tuple([self.case(c) for c in n.cases]))

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
        return ir.Case(_pos(pattern), tuple(binds), tuple(values), types, irrefutable, guard, self.body(n.body))

    def function_def(self, n: ast.FunctionDef | ast.AsyncFunctionDef) -> ir.Stmt:
        self.names.add(n.name)
        decorators = self.exprs(n.decorator_list)
        is_async = isinstance(n, ast.AsyncFunctionDef)

        def body() -> ir.Body:
            return self.body(n.body, docstring=True)

        return self.function(_pos(n), _head(n), n.name, n.args, body, decorators, n.returns, is_async)

    def function(
        self,
        pos: int,
        head: int,
        name: str,
        args: ast.arguments,
        body: Callable[[], ir.Body],
        decorators: tuple[ir.Expr, ...],
        returns: ast.expr | None,
        is_async: bool,
    ) -> ir.Function:
        params = self.params(args)
        lowered_returns = self.annotation(returns)
        saved = (
            self.prefix,
            self.names,
            self.outer_names,
            self.stores,
            self.self_name,
            self.yields,
            self.depth,
            self.mode_reads,
        )
        qualname = self.prefix + name
        self.prefix = f"{qualname}.<locals>."
        self.names = {p.name for p in params}
        self.outer_names, self.stores, self.yields, self.depth, self.mode_reads = set(), set(), False, 0, 0
        self.self_name = params[0].name if params else None
        try:
            lowered = body()
            local_names = tuple(sorted(self.names - self.outer_names))
            stores, yields, mode_reads = tuple(sorted(self.stores)), self.yields, self.mode_reads
        finally:
            (
                self.prefix,
                self.names,
                self.outer_names,
                self.stores,
                self.self_name,
                self.yields,
                self.depth,
                self.mode_reads,
            ) = saved
        return ir.Function(
            pos,
            name,
            qualname,
            params,
            lowered,
            decorators,
            lowered_returns,
            is_async,
            yields,
            local_names,
            stores,
            mode_reads,
            head,
        )

    def params(self, args: ast.arguments) -> tuple[ir.Param, ...]:
        positional = [*args.posonlyargs, *args.args]
        defaults: list[ast.expr | None] = [None] * (len(positional) - len(args.defaults))
        defaults += args.defaults
        out = [
            self.param(a, "positional" if i < len(args.posonlyargs) else "either", d)
            for i, (a, d) in enumerate(zip(positional, defaults, strict=True))
        ]
        if args.vararg:
            out.append(self.param(args.vararg, "star", None))
        out += [self.param(a, "keyword", d) for a, d in zip(args.kwonlyargs, args.kw_defaults, strict=True)]
        if args.kwarg:
            out.append(self.param(args.kwarg, "double-star", None))
        return tuple(out)

    def param(self, n: ast.arg, kind: str, default: ast.expr | None) -> ir.Param:
        return ir.Param(n.arg, kind, self.annotation(n.annotation), self.maybe(default))

    def annotation(self, n: ast.expr | None) -> ir.Expr | None:
        return None if n is None else self.expr(_unquoted(n))

    def class_def(self, n: ast.ClassDef) -> ir.Stmt:
        self.names.add(n.name)
        decorators = self.exprs(n.decorator_list)
        bases = self.exprs(n.bases)
        keywords = tuple([(k.arg, self.expr(k.value)) for k in n.keywords])
        saved = self.prefix, self.names, self.self_name
        qualname = self.prefix + n.name
        self.prefix, self.names, self.self_name = qualname + ".", set(), None
        body = self.body(n.body, docstring=True)
        self.prefix, self.names, self.self_name = saved
        return ir.Class(_pos(n), n.name, qualname, bases, keywords, decorators, body, _head(n))


def _unquoted(n: ast.expr) -> ast.expr:
    """An annotation with the quoted parts read as what they say; each stands where the quotes stand."""
    if isinstance(n, ast.Constant) and isinstance(n.value, str) and len(n.value) < 500:
        try:
            inner = ast.parse(n.value.strip(), mode="eval").body
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return n
        for part in ast.walk(inner):
            if hasattr(part, "lineno"):
                ast.copy_location(part, n)
        return inner
    if isinstance(n, ast.Subscript):
        name = n.value.attr if isinstance(n.value, ast.Attribute) else getattr(n.value, "id", "")
        if name not in ("Literal", "Annotated"):
            n.slice = _unquoted(n.slice)
    elif isinstance(n, ast.Tuple):
        n.elts = [_unquoted(e) for e in n.elts]
    elif isinstance(n, ast.BinOp):
        n.left, n.right = _unquoted(n.left), _unquoted(n.right)
    return n


def _is_string(n: ast.stmt) -> bool:
    return isinstance(n, ast.Expr) and isinstance(n.value, ast.Constant) and isinstance(n.value.value, str)


def _head(n: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> int:
    """The place of `def name` or `class name`, without decorators and body."""
    word = {ast.FunctionDef: 4, ast.AsyncFunctionDef: 10, ast.ClassDef: 6}[n.__class__]
    return ir.pack(n.lineno, n.col_offset, n.lineno, n.col_offset + word + len(n.name.encode("utf-8")))


_EXPRESSIONS: dict[type[ast.expr], Callable[[_Lowering, Any], ir.Expr]] = {
    ast.Name: _Lowering.name,
    ast.Constant: _Lowering.constant,
    ast.Attribute: _Lowering.attribute,
    ast.Call: _Lowering.call,
    ast.BinOp: _Lowering.binary,
    ast.UnaryOp: _Lowering.unary,
    ast.BoolOp: _Lowering.bool_op,
    ast.Compare: _Lowering.compare,
    ast.Subscript: _Lowering.subscript,
    ast.Slice: _Lowering.slice_,
    ast.Tuple: _Lowering.tuple_,
    ast.List: _Lowering.list_,
    ast.Set: _Lowering.set_,
    ast.Dict: _Lowering.dict_,
    ast.IfExp: _Lowering.if_exp,
    ast.Lambda: _Lowering.lambda_,
    ast.ListComp: _Lowering.comp,
    ast.SetComp: _Lowering.comp,
    ast.GeneratorExp: _Lowering.comp,
    ast.DictComp: _Lowering.dict_comp,
    ast.Starred: _Lowering.starred,
    ast.JoinedStr: _Lowering.f_string,
    ast.NamedExpr: _Lowering.walrus,
    ast.Yield: _Lowering.yield_,
    ast.YieldFrom: _Lowering.yield_from,
    ast.Await: _Lowering.await_,
}
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
# Syntax newer than the oldest supported Python, under the same lowering.
for _newer, _lowering in (("TryStar", _Lowering.try_),):
    if hasattr(ast, _newer):
        _STATEMENTS[getattr(ast, _newer)] = _lowering
if hasattr(ast, "TemplateStr"):
    _EXPRESSIONS[ast.TemplateStr] = _Lowering.f_string
