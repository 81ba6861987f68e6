"""Statements that a change moved into a function of their own, as they stand: the same text does the same there.

They need not have run on every side. That holds where the rest of a function became `return made(a, b, self.c)`, `made`
is new, is called there alone, and its statements are the old ones, in their order: with the names of its parameters for
what is passed, and `Class.method(None, ...)` for `self.method(...)`. Every name that they read must come from them, the
parameters, or the module. What stands between them is new, and is none of them. Does not belong here: which sides a
change has (`sides`).
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator, Sequence

from compilelint.dynamic.asking import Asking

Moved = tuple[frozenset[int], frozenset[int]]
"""The ids of all nodes below statements that were moved: in the old tree, and in the new one."""
_KEPT = "register_effect"


def moved(old: ast.Module, new: ast.Module) -> Moved:
    """What of two trees is the same text in another function."""
    before, after = dict(_functions(old)), dict(_functions(new))
    pairs: list[tuple[ast.stmt, ast.stmt]] = []
    for name, function in after.items():
        if name in before:
            last = function.body[-1]
            called = last.value if isinstance(last, ast.Return) else None
            made = _made_for(called, before, after, new)
            if made is not None and isinstance(called, ast.Call):
                pairs += _pairs(before[name], function, made, called, name.rpartition(".")[0])
    return _below(one for one, _ in pairs), _below(one for _, one in pairs)


def guarded(old: ast.Module, new: ast.Module) -> frozenset[int]:
    """The ids of the tests of old `if`s that became `if not is_compiling() and test:`, and of all below them.

    In eager code the question in front is always true; compiled, what stands below is left out, so it must have run.
    """
    asking, after = Asking(new), dict(_functions(new))
    found: set[int] = set()
    for name, function in _functions(old):
        ifs = [one for one in ast.walk(after.get(name, ast.Pass())) if isinstance(one, ast.If) and not one.orelse]
        texts = {(_behind(one.test, asking), *map(ast.dump, one.body)) for one in ifs}
        for one in ast.walk(function):
            if isinstance(one, ast.If) and not one.orelse and (ast.dump(one.test), *map(ast.dump, one.body)) in texts:
                found |= {id(one), *(id(part) for part in ast.walk(one.test))}
    return frozenset(found)


def checked(old: ast.Module, new: ast.Module) -> Moved:
    """The nodes of checks that compiled code asks by an operator whose body they are, and eager code as it did.

    `if test: raise E` became `if is_compiling(): check(x)` with `elif test: raise E`; the operator is kept in the graph
    for its effect, so that both do what the check says, on either side of it.
    """
    asking, before = Asking(new), dict(_functions(old))
    operators = {one.name: one for one in new.body if isinstance(one, ast.FunctionDef) and one.name not in before}
    kept = {ast.unparse(one.value) for one in ast.walk(new) if isinstance(one, ast.Attribute) and one.attr == _KEPT}
    pairs: list[tuple[ast.stmt, ast.stmt]] = []
    for name, function in _functions(new):
        if name not in before:
            continue
        waiting = {ast.dump(one): one for one in ast.walk(before[name]) if isinstance(one, ast.If)}
        for one in ast.walk(function):
            call = _asked_by_operator(one, asking)
            operator = None if call is None else operators.get(ast.unparse(call.func))
            if call is None or operator is None or operator.name not in kept or not isinstance(one, ast.If):
                continue
            given = dict(zip((arg.arg for arg in operator.args.args), call.args, strict=False))
            other = {arg: value for arg, value in given.items() if ast.unparse(value) != arg}
            same = [ast.dump(_as_before(part, other, "")) for part in operator.body] == [ast.dump(one.orelse[0])]
            check = waiting.get(ast.dump(one.orelse[0]))
            if same and check is not None and len(given) == len(call.args) == len(operator.args.args):
                pairs.append((check, one.orelse[0]))
    return _below(one for one, _ in pairs), _below(one for _, one in pairs)


def _asked_by_operator(node: ast.AST, asking: Asking) -> ast.Call | None:
    """The call of `if is_compiling(): check(x)` that has one other arm, an `elif`."""
    if not isinstance(node, ast.If) or len(node.body) != 1 or not asking.asks(node.test):
        return None
    only = node.body[0].value if isinstance(node.body[0], ast.Expr) else None
    other = len(node.orelse) == 1 and isinstance(node.orelse[0], ast.If) and not node.orelse[0].orelse
    plain = isinstance(node.test, ast.Call) and other
    return only if plain and isinstance(only, ast.Call) and not only.keywords else None


def _behind(test: ast.expr, asking: Asking) -> str:
    """The text of what stands behind `not is_compiling() and`; empty for other tests."""
    first = test.values[0] if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And) else None
    negated = isinstance(first, ast.UnaryOp) and isinstance(first.op, ast.Not) and asking.asks(first.operand)
    if not negated or not isinstance(test, ast.BoolOp):
        return ""
    rest = test.values[1:]
    return ast.dump(rest[0] if len(rest) == 1 else ast.BoolOp(ast.And(), rest))


def _below(statements: Iterator[ast.stmt]) -> frozenset[int]:
    return frozenset(id(node) for one in statements for node in ast.walk(one))


def _functions(tree: ast.Module) -> Iterator[tuple[str, ast.FunctionDef]]:
    """The functions of a file and the methods of its classes, by their full names."""
    for one in tree.body:
        if isinstance(one, ast.FunctionDef):
            yield one.name, one
        elif isinstance(one, ast.ClassDef):
            yield from ((f"{one.name}.{inner.name}", inner) for inner in one.body if isinstance(inner, ast.FunctionDef))


def _made_for(
    called: ast.expr | None, before: dict[str, ast.FunctionDef], after: dict[str, ast.FunctionDef], new: ast.Module
) -> ast.FunctionDef | None:
    """The new function that is called there and nowhere else, with as many arguments as it has parameters."""
    if not isinstance(called, ast.Call) or not isinstance(called.func, ast.Name) or called.keywords:
        return None
    name = called.func.id
    made = after.get(name)
    if made is None or name in before or len(made.args.args) != len(called.args):
        return None
    if made.args.vararg or made.args.kwarg or made.args.kwonlyargs or made.args.posonlyargs:
        return None
    calls = [one for one in ast.walk(new) if isinstance(one, ast.Call) and ast.unparse(one.func) == name]
    return made if len(calls) == 1 else None


def _pairs(
    old: ast.FunctionDef, now: ast.FunctionDef, made: ast.FunctionDef, called: ast.Call, owner: str
) -> list[tuple[ast.stmt, ast.stmt]]:
    """Old statements and those of the new function that are the same; none where a name may mean something else."""
    given = dict(zip((one.arg for one in made.args.args), map(_attached, called.args), strict=True))
    other = {name: one for name, one in given.items() if not (isinstance(one, ast.Name) and one.id == name)}
    stored = _names(made.body, ast.Store)
    if not all(isinstance(one, (ast.Name, ast.Attribute)) for one in given.values()) or stored & set(other):
        return []
    locals_of_old = {one.arg for one in ast.walk(old.args) if isinstance(one, ast.arg)} | _names(old.body, ast.Store)
    left = [ast.dump(one) for one in now.body[:-1]]
    kept = next((i for i, one in enumerate(old.body) if i >= len(left) or ast.dump(one) != left[i]), len(old.body))
    changed_before = {name for name in given if name in _names(now.body[kept:], ast.Store)}
    free = _names(made.body, ast.Load) - stored - set(given)
    if free & locals_of_old or changed_before:
        return []
    found: list[tuple[ast.stmt, ast.stmt]] = []
    waiting = old.body[kept:]
    texts = [ast.dump(_as_before(one, other, owner)) for one in made.body]
    at = 0
    for statement in waiting:
        text = ast.dump(statement)
        place = next((i for i in range(at, len(texts)) if texts[i] == text), None)
        if place is None:
            return []  # one is left out or changed, so the others may meet other values
        found.append((statement, made.body[place]))
        at = place + 1
    return found


def _attached(given: ast.expr) -> ast.expr:
    """What `x.detach()` is made of: the same numbers, and gradients are compared by runs."""
    match given:
        case ast.Call(func=ast.Attribute(value=value, attr="detach"), args=[], keywords=[]):
            return value
    return given


def _names(statements: Sequence[ast.stmt], context: type[ast.expr_context]) -> set[str]:
    return {
        one.id
        for statement in statements
        for one in ast.walk(statement)
        if isinstance(one, ast.Name) and isinstance(one.ctx, context)
    }


def _as_before(statement: ast.stmt, given: dict[str, ast.expr], owner: str) -> ast.stmt:
    """A statement of the new function as it was written in the old one."""
    changed: ast.stmt = _Before(given, owner).visit(copy.deepcopy(statement))
    return changed


class _Before(ast.NodeTransformer):
    def __init__(self, given: dict[str, ast.expr], owner: str) -> None:
        self._given = given
        self._owner = owner

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return copy.deepcopy(self._given[node.id]) if node.id in self._given else node

    def visit_Call(self, node: ast.Call) -> ast.expr:
        self.generic_visit(node)
        func, args = node.func, node.args
        if not isinstance(func, ast.Attribute) or not isinstance(func.value, ast.Name) or not args:
            return node
        if func.value.id != self._owner or not isinstance(args[0], ast.Constant) or args[0].value is not None:
            return node
        return ast.Call(ast.Attribute(ast.Name("self", ast.Load()), func.attr, ast.Load()), args[1:], node.keywords)
