"""Scopes without interpretation: what names mean in a function or class body, and every expression with its place.

The survey reads code that no compiled region reaches, so nothing is followed or evaluated here: a name is an import,
a definition, or an assignment whose right-hand side is given back as written. Every walk is iterative.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import field
from typing import Any, TypeAlias, get_args

from compilelint.events import Context, Site
from compilelint.model.slotted import dataclass
from compilelint.project.classes import Assigned, Binding, ClassInfo, FunctionInfo, Imported, ModuleInfo, bindings_of
from compilelint.project.index import Program, canonical
from compilelint.syntax import ir
from compilelint.syntax.facts import fact, fact_once, of_statements
from compilelint.syntax.walk import WITH_BLOCKS, blocks_of, dotted_name
from compilelint.values import ClassRef, External, FunctionRef, Value


@dataclass(slots=True, eq=False)
class Scope:
    """A module, class or function body. `function` is None at module level and in class bodies."""

    program: Program
    module: ModuleInfo
    body: ir.Body
    function: FunctionInfo | None = None
    owner: ClassInfo | None = None
    parent: Scope | None = None
    names: dict[str, list[Binding]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.names = self.module.bindings if self.parent is None else bindings_of(self.body, self.module)

    @property
    def qualname(self) -> str:
        """As the messages call it; empty at module level."""
        if self.function is not None:
            return self.function.node.qualname
        return self.owner.node.qualname if self.owner is not None else ""

    def site(self, pos: int) -> Site:
        """A place in this scope. There is no compile root, so the function around it stands for one."""
        name = self.qualname
        return Site(Context(self.module.ir, name, self.module.linted, name or "<module>", "survey"), pos)

    def bindings(self, name: str) -> list[Binding] | None:
        """What binds a name here or around here, innermost scope first; None for parameters and unknown names."""
        scope: Scope | None = self
        first = True
        while scope is not None:
            visible = first or scope.function is not None or scope.parent is None  # class bodies hide from methods
            if visible and name in scope.names:
                return scope.names[name]
            node = None if scope.function is None else scope.function.node
            if node is not None and any(p.name == name for p in node.params):
                return None
            scope, first = scope.parent, False
        return None

    def meaning(self, expr: ir.Expr) -> Value | None:
        """The import or definition that a dotted name stands for; None for everything that needs a value."""
        if isinstance(expr, ir.Name):
            found = self.bindings(expr.id)
            if not found:
                return self.program.resolve(self.module, expr) if found is None and self._free(expr.id) else None
            last = found[-1]
            if isinstance(last, Imported):
                if last.name is None:
                    return External(last.module)
                return self.program.member(last.module, last.name)
            if isinstance(last, ir.Function):
                return FunctionRef(self.module.function(last))
            if isinstance(last, ir.Class):
                return ClassRef(self.program.class_info(self.module, last))
            other = _renamed(last, expr.id)
            return None if other is None else self.meaning(other)
        if isinstance(expr, ir.Attr):
            base = self.meaning(expr.value)
            if isinstance(base, External):
                return self.program.member(base.name, expr.name)
        return None

    def _free(self, name: str) -> bool:
        """Whether a name is bound by no scope around here, parameters included."""
        scope: Scope | None = self
        while scope is not None:
            if scope.function is not None and any(p.name == name for p in scope.function.node.params):
                return False
            scope = scope.parent
        return True

    def name(self, expr: ir.Expr) -> str:
        """The canonical dotted name of a library object; empty for anything else."""
        value = self.meaning(expr)
        return canonical(value.name) if isinstance(value, External) else ""

    def assigned(self, name: str) -> list[ir.Expr]:
        """The right-hand sides that a name is assigned from."""
        return [b.expr for b in self.bindings(name) or () if isinstance(b, Assigned) and b.expr and not b.path]


def _renamed(binding: Assigned, name: str) -> ir.Attr | None:
    """The dotted name that an assignment only gives another name (`compile_ = torch.compile`)."""
    expr = binding.expr
    if not isinstance(expr, ir.Attr) or binding.path or dotted_name(expr).partition(".")[0] == name:
        return None
    return expr


@dataclass(frozen=True, slots=True)
class Spot:
    """An expression and where it stands: its scope, its statement, and the blocks around it, outermost first."""

    expr: ir.Expr
    scope: Scope
    statement: ir.Stmt
    blocks: tuple[ir.Stmt, ...]

    def site(self, expr: ir.Expr | None = None) -> Site:
        """The place of the expression, or of another one of the same scope."""
        return self.scope.site((expr or self.expr).pos)

    def inside(self, *kinds: type[Any]) -> ir.Stmt | None:
        """The innermost block of one of these kinds around the expression."""
        return next((b for b in reversed(self.blocks) if isinstance(b, kinds)), None)


def switched_off(spot: Spot) -> bool:
    """Whether a spot stands behind a name that is only ever `False` in the source."""
    for block in spot.blocks:
        if isinstance(block, ir.If) and isinstance(block.arms[0][0], ir.Name):
            test, body = block.arms[0]
            values = spot.scope.bindings(test.id) or () if isinstance(test, ir.Name) else ()
            off = values and all(isinstance(one, Assigned) and _is_false(one.expr) and not one.path for one in values)
            if off and any(s is spot.statement for s, _ in statements(body)):
                return True
    return False


def _is_false(expr: ir.Expr | None) -> bool:
    return isinstance(expr, ir.Const) and expr.value is False


def scopes(program: Program, module: ModuleInfo, only: ir.Body | None = None) -> list[Scope]:
    """The module's own scope and those of all functions and classes in it, outer before inner.

    `only` names statements of the top level whose scopes alone are wanted beside the module's.
    """
    found = [Scope(program, module, module.ir.body)]
    for scope in found:  # grows while it is read
        for s, _ in statements(scope.body if only is None or scope.parent is not None else only):
            if isinstance(s, ir.Function):
                owner = scope.owner if scope.function is None else None
                found.append(Scope(program, module, s.body, module.function(s, owner), owner, scope))
            elif isinstance(s, ir.Class):
                found.append(Scope(program, module, s.body, None, program.class_info(module, s), scope))
    return found


def statements(body: ir.Body) -> Iterator[tuple[ir.Stmt, tuple[ir.Stmt, ...]]]:
    """Every statement of a body with the blocks around it; functions and classes are given, not entered."""
    stack: list[tuple[Iterator[ir.Stmt], tuple[ir.Stmt, ...]]] = [(iter(body), ())]
    while stack:
        rest, around = stack[-1]
        s = next(rest, None)
        if s is None:
            stack.pop()
            continue
        yield s, around
        if s.__class__ in WITH_BLOCKS:
            stack.extend((iter(b), (*around, s)) for b in reversed(blocks_of(s)))


def spots(scope: Scope, kept: bool = True) -> Iterator[Spot]:
    """Every expression of a scope, decorators and defaults of what it defines included, nested bodies not.

    `kept` says that what was read of the scope is worth its memory, since it will be asked for again.
    """
    for expr, s, around in _placed_in(scope, fact if kept else fact_once):
        yield Spot(expr, scope, s, around)


_Placed: TypeAlias = tuple[ir.Expr, ir.Stmt, tuple[ir.Stmt, ...]]


def _placed_in(scope: Scope, read: Callable[..., list[_Placed]]) -> list[_Placed]:
    """The expressions of a scope, each with its statement and the blocks around it."""
    if scope.function is not None and scope.body is scope.function.node.body:
        return read(scope.function.node, _placed)
    if scope.function is None and scope.owner is not None and scope.body is scope.owner.node.body:
        return read(scope.owner.node, _placed)
    return read(scope.module.ir, _placed) if scope.body is scope.module.ir.body else _placed(scope)


@of_statements
def _placed(node: ir.Module | ir.Function | ir.Class | Scope) -> list[_Placed]:
    return [(expr, s, around) for s, around in statements(node.body) for expr in expressions(own_expressions(s))]


def own_expressions(s: ir.Stmt) -> Sequence[ir.Expr]:
    """The expressions that a statement evaluates itself, not those of the blocks in it."""
    if s.__class__ not in _COMPOUND:
        return parts(s)
    if isinstance(s, ir.Function):
        return [*s.decorators, *(p.default for p in s.params if p.default is not None)]
    if isinstance(s, ir.Class):
        return [*s.decorators, *s.bases, *(e for _, e in s.keywords)]
    if isinstance(s, ir.If):
        return [test for test, _ in s.arms]
    if isinstance(s, ir.For):
        return [s.target, s.iterable]
    if isinstance(s, ir.While):
        return [s.test]
    if isinstance(s, ir.With):
        return [e for item in s.items for e in item if e is not None]
    if isinstance(s, ir.Match):
        return [s.subject, *(e for c in s.cases for e in (*c.values, *([c.guard] if c.guard else [])))]
    assert isinstance(s, ir.Try)
    return [h.type for h in s.handlers if h.type is not None]


_COMPOUND = WITH_BLOCKS | {ir.Function, ir.Class}


def expressions_of(module: ir.Module) -> Iterator[ir.Expr]:
    """All expressions of a file, those in functions and classes included."""
    waiting: list[ir.Body] = [module.body]
    while waiting:
        for s, _ in statements(waiting.pop()):
            if isinstance(s, (ir.Function, ir.Class)):
                waiting.append(s.body)
            yield from expressions(own_expressions(s))


def expressions(roots: Sequence[ir.Expr]) -> Iterator[ir.Expr]:
    """The expressions and all that stand in them; lambdas are entered, for they are expressions too."""
    stack = list(roots[::-1])
    while stack:
        expr = stack.pop()
        yield expr
        parts_of = _PARTS.get(expr.__class__)
        if parts_of is not None:
            stack.extend(parts_of(expr)[::-1])


def calls_among(roots: Sequence[ir.Expr]) -> list[ir.Call]:
    """The calls among the expressions and all that stand in them; no generator, since all of a project pass here."""
    found: list[ir.Call] = []
    stack = list(roots[::-1])
    while stack:
        expr = stack.pop()
        kind = expr.__class__
        if kind is ir.Call:
            found.append(expr)  # type: ignore[arg-type]
        parts_of = _PARTS.get(kind)
        if parts_of is not None:
            stack.extend(parts_of(expr)[::-1])
    return found


def parts(node: Any) -> Sequence[ir.Expr]:
    """The expressions directly in a node, in the order of its fields. The caller must not change them."""
    parts_of = _PARTS.get(node.__class__)
    return _read(node) if parts_of is None else parts_of(node)


def _read(node: Any) -> list[ir.Expr]:
    """The same for kinds that are rare, by what their fields hold."""
    found: list[ir.Expr] = []
    for name in _FIELDS[type(node)]:
        value: Any = getattr(node, name)
        kind: Any = value.__class__
        if kind is tuple:
            item: Any
            for item in value:
                if item.__class__ in _EXPRESSIONS:
                    found.append(item)
                elif item.__class__ is tuple:  # keywords: (name, value)
                    found.extend([one for one in item if one.__class__ in _EXPRESSIONS])
                elif isinstance(item, (ir.Clause, ir.Field)):
                    found.extend(_read(item))
        elif kind in _EXPRESSIONS:
            found.append(value)
    return found


_EXPRESSIONS: frozenset[type[Any]] = frozenset(get_args(ir.Expr))
_NO_EXPRESSIONS = frozenset({"pos", "id", "name", "op", "kind", "qualname", "is_async", "conversion", "ops"})
_FIELDS: dict[type[Any], tuple[str, ...]] = {
    kind: tuple(name for name in kind.__slots__ if name not in _NO_EXPRESSIONS)
    for kind in vars(ir).values()
    if isinstance(kind, type) and hasattr(kind, "__slots__")
}
# What stands directly in a node, by its class, leaves left out: walks over all expressions of a project ask this of
# every one of them.
_PARTS: dict[type[Any], Callable[[Any], Sequence[ir.Expr]]] = {
    **dict.fromkeys((ir.Slice, ir.DictDisplay, ir.Comp, ir.FString, ir.Walrus, ir.Yield), _read),
    ir.Attr: lambda e: (e.value,),
    ir.Call: lambda e: (e.func, *e.args, *[value for _, value in e.keywords]) if e.keywords else (e.func, *e.args),
    ir.Binary: lambda e: (e.left, e.right),
    ir.Unary: lambda e: (e.operand,),
    ir.BoolOp: lambda e: e.values,
    ir.Compare: lambda e: (e.left, *e.rights),
    ir.Index: lambda e: (e.value, e.index),
    ir.Display: lambda e: e.items,
    ir.IfExp: lambda e: (e.test, e.then, e.other),
    ir.Star: lambda e: (e.value,),
    ir.Lambda: lambda e: [s.value for s in e.function.body if isinstance(s, ir.Return) and s.value is not None],
    ir.Assign: lambda s: (*s.targets, s.value),
    ir.AugAssign: lambda s: (s.target, s.value),
    ir.ExprStmt: lambda s: (s.value,),
    ir.Return: lambda s: () if s.value is None else (s.value,),
}


def argument(call: ir.Call, place: int, *names: str) -> ir.Expr | None:
    """A positional or keyword argument of a call; `place` below zero for keyword-only."""
    if 0 <= place < len(call.args):
        found = call.args[place]
        return None if isinstance(found, ir.Star) else found
    return next((value for name, value in call.keywords if name in names), None)


def text_of(expr: ir.Expr | None) -> str | None:
    """The text of a string literal."""
    return expr.value if isinstance(expr, ir.Const) and isinstance(expr.value, str) else None
