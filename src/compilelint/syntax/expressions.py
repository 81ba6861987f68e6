"""Expressions and signatures, from Python's own syntax tree to the IR.

Nothing is evaluated. Chains of operators and brackets deeper than `MAX_DEPTH` become `Opaque`, so that neither this
walk nor the interpreter can be driven into a deep recursion by generated code.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Iterable
from typing import Any

from compilelint.syntax import ir, places

MAX_DEPTH = 150
_OLD_F_STRINGS = sys.version_info < (3, 12)

BINARY: dict[type[ast.operator], str] = {
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


def pos_of(n: Any) -> int:
    """The packed place of a node of Python's tree."""
    line: int
    column: int
    end_line: int
    end_column: int
    line, column, end_line, end_column = n.lineno, n.col_offset, n.end_lineno, n.end_col_offset
    more = end_line - line
    if column < 16384 and end_column < 16384 and line < 1048576 and 0 <= more < 4096:
        return (line << 40) | (column << 26) | (more << 14) | end_column  # places.pack, inlined: the hottest line here
    return places.pack(line, column, end_line, end_column)


_MOST_TEXT = 40  # characters of literal text in an f-string that may become part of a name


def _texts(values: Iterable[Any]) -> tuple[str, ...] | None:
    """The literal parts of an f-string before, between and behind its fields; None where they are long."""
    texts = [""]
    for value in values:
        if isinstance(value, ast.Constant):
            texts[-1] += str(value.value)
        else:
            texts.append("")
    return tuple(texts) if sum(map(len, texts)) <= _MOST_TEXT else None


class Expressions:
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

    def expr(self, n: ast.expr) -> ir.Expr:
        if isinstance(n, ast.Name) and self.depth <= MAX_DEPTH:  # half of all expressions
            return self.name(n)
        lowering = _EXPRESSIONS.get(n.__class__)
        if lowering is None or self.depth > MAX_DEPTH:
            return ir.Opaque(pos_of(n))
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
        return ir.Name(pos_of(n), n.id)

    def constant(self, n: ast.Constant) -> ir.Expr:
        return ir.Const(pos_of(n), n.value)

    def attribute(self, n: ast.Attribute) -> ir.Expr:
        value = n.value
        if n.ctx.__class__ is not ast.Load and value.__class__ is ast.Name and value.id == self.self_name:
            self.stores.add(n.attr)
        elif n.attr == "training" and value.__class__ is ast.Name and value.id == self.self_name:
            self.mode_reads += 1
        return ir.Attr(pos_of(n), self.expr(value), n.attr)

    def call(self, n: ast.Call) -> ir.Expr:
        expr = self.expr
        args = tuple([expr(a) for a in n.args]) if n.args else ()
        keywords = tuple([(k.arg, expr(k.value)) for k in n.keywords]) if n.keywords else ()
        return ir.Call(pos_of(n), expr(n.func), args, keywords)

    def binary(self, n: ast.BinOp) -> ir.Expr:
        return ir.Binary(pos_of(n), BINARY[n.op.__class__], self.expr(n.left), self.expr(n.right))

    def unary(self, n: ast.UnaryOp) -> ir.Expr:
        operand = n.operand
        if isinstance(n.op, ast.USub) and isinstance(operand, ast.Constant):
            number = operand.value
            if isinstance(number, (int, float)) and not isinstance(number, bool):
                return ir.Const(pos_of(n), -number)
        return ir.Unary(pos_of(n), _UNARY[n.op.__class__], self.expr(operand))

    def bool_op(self, n: ast.BoolOp) -> ir.Expr:
        return ir.BoolOp(pos_of(n), "and" if isinstance(n.op, ast.And) else "or", self.exprs(n.values))

    def compare(self, n: ast.Compare) -> ir.Expr:
        ops = tuple([_COMPARE[op.__class__] for op in n.ops])
        return ir.Compare(pos_of(n), self.expr(n.left), ops, self.exprs(n.comparators))

    def subscript(self, n: ast.Subscript) -> ir.Expr:
        if n.ctx.__class__ is not ast.Load:
            self._stored_by_name(n)
        return ir.Index(pos_of(n), self.expr(n.value), self.expr(n.slice))

    def _stored_by_name(self, n: ast.Subscript) -> None:
        """`self.__dict__["name"] = ...` stores an attribute, too."""
        table, name = n.value, n.slice
        if not (table.__class__ is ast.Attribute and table.attr == "__dict__" and name.__class__ is ast.Constant):
            return
        holder = table.value
        if holder.__class__ is ast.Name and holder.id == self.self_name and name.value.__class__ is str:
            self.stores.add(name.value)

    def slice_(self, n: ast.Slice) -> ir.Expr:
        return ir.Slice(pos_of(n), self.maybe(n.lower), self.maybe(n.upper), self.maybe(n.step))

    def tuple_(self, n: ast.Tuple) -> ir.Expr:
        return ir.Display(pos_of(n), "tuple", self.exprs(n.elts))

    def list_(self, n: ast.List) -> ir.Expr:
        return ir.Display(pos_of(n), "list", self.exprs(n.elts))

    def set_(self, n: ast.Set) -> ir.Expr:
        return ir.Display(pos_of(n), "set", self.exprs(n.elts))

    def dict_(self, n: ast.Dict) -> ir.Expr:
        return ir.DictDisplay(pos_of(n), tuple([self.maybe(k) for k in n.keys]), self.exprs(n.values))

    def if_exp(self, n: ast.IfExp) -> ir.Expr:
        return ir.IfExp(pos_of(n), self.expr(n.test), self.expr(n.body), self.expr(n.orelse))

    def lambda_(self, n: ast.Lambda) -> ir.Expr:
        pos = pos_of(n)

        def body() -> ir.Body:
            return (ir.Return(pos_of(n.body), self.expr(n.body)),)

        return ir.Lambda(pos, self.function(pos, pos, "<lambda>", n.args, body, (), None, is_async=False))

    def comp(self, n: ast.ListComp | ast.SetComp | ast.GeneratorExp) -> ir.Expr:
        kind: ir.CompKind
        kind = "list" if isinstance(n, ast.ListComp) else "set" if isinstance(n, ast.SetComp) else "generator"
        clauses = self.clauses(n.generators)
        return ir.Comp(pos_of(n), kind, self.expr(n.elt), None, clauses)

    def dict_comp(self, n: ast.DictComp) -> ir.Expr:
        clauses = self.clauses(n.generators)
        return ir.Comp(pos_of(n), "dict", self.expr(n.key), self.expr(n.value), clauses)

    def clauses(self, generators: list[ast.comprehension]) -> tuple[ir.Clause, ...]:
        return tuple(
            [ir.Clause(self.expr(g.target), self.expr(g.iter), self.exprs(g.ifs), bool(g.is_async)) for g in generators]
        )

    def starred(self, n: ast.Starred) -> ir.Expr:
        return ir.Star(pos_of(n), self.expr(n.value))

    def f_string(self, n: ast.JoinedStr) -> ir.Expr:
        if _OLD_F_STRINGS:
            # Before 3.12 the parser misplaces what stands inside: the whole string is the place then.
            for part in n.values:
                for inner in ast.walk(part):
                    if hasattr(inner, "lineno"):
                        ast.copy_location(inner, n)
        return ir.FString(pos_of(n), self.fields(n.values), _texts(n.values))

    def fields(self, values: Iterable[Any]) -> tuple[ir.Field, ...]:
        # FormattedValue, or Interpolation in a t-string (3.14): the same fields under the same names.
        return tuple(
            [
                ir.Field(
                    pos_of(v),
                    self.expr(v.value),
                    _CONVERSIONS.get(v.conversion, ""),
                    None if v.format_spec is None else ir.FString(pos_of(v), self.fields(v.format_spec.values)),
                )
                for v in values
                if not isinstance(v, ast.Constant)
            ]
        )

    def walrus(self, n: ast.NamedExpr) -> ir.Expr:
        self.names.add(n.target.id)
        return ir.Walrus(pos_of(n), n.target.id, self.expr(n.value))

    def yield_(self, n: ast.Yield) -> ir.Expr:
        self.yields = True
        return ir.Yield(pos_of(n), "yield", self.maybe(n.value))

    def yield_from(self, n: ast.YieldFrom) -> ir.Expr:
        self.yields = True
        return ir.Yield(pos_of(n), "from", self.expr(n.value))

    def await_(self, n: ast.Await) -> ir.Expr:
        return ir.Yield(pos_of(n), "await", self.expr(n.value))

    # -------------------------------------------------------------- signatures

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

    def param(self, n: ast.arg, kind: ir.ParamKind, default: ast.expr | None) -> ir.Param:
        return ir.Param(n.arg, kind, self.annotation(n.annotation), self.maybe(default))

    def annotation(self, n: ast.expr | None) -> ir.Expr | None:
        return None if n is None else self.expr(unquoted(n))


def unquoted(n: ast.expr) -> ast.expr:
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
            n.slice = unquoted(n.slice)
    elif isinstance(n, ast.Tuple):
        n.elts = [unquoted(e) for e in n.elts]
    elif isinstance(n, ast.BinOp):
        n.left, n.right = unquoted(n.left), unquoted(n.right)
    return n


_EXPRESSIONS: dict[type[ast.expr], Callable[[Expressions, Any], ir.Expr]] = {
    ast.Name: Expressions.name,
    ast.Constant: Expressions.constant,
    ast.Attribute: Expressions.attribute,
    ast.Call: Expressions.call,
    ast.BinOp: Expressions.binary,
    ast.UnaryOp: Expressions.unary,
    ast.BoolOp: Expressions.bool_op,
    ast.Compare: Expressions.compare,
    ast.Subscript: Expressions.subscript,
    ast.Slice: Expressions.slice_,
    ast.Tuple: Expressions.tuple_,
    ast.List: Expressions.list_,
    ast.Set: Expressions.set_,
    ast.Dict: Expressions.dict_,
    ast.IfExp: Expressions.if_exp,
    ast.Lambda: Expressions.lambda_,
    ast.ListComp: Expressions.comp,
    ast.SetComp: Expressions.comp,
    ast.GeneratorExp: Expressions.comp,
    ast.DictComp: Expressions.dict_comp,
    ast.Starred: Expressions.starred,
    ast.JoinedStr: Expressions.f_string,
    ast.NamedExpr: Expressions.walrus,
    ast.Yield: Expressions.yield_,
    ast.YieldFrom: Expressions.yield_from,
    ast.Await: Expressions.await_,
}
if hasattr(ast, "TemplateStr"):  # Python 3.14
    _EXPRESSIONS[ast.TemplateStr] = Expressions.f_string
