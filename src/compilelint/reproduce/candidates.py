"""Smaller texts to try: statements left out, expressions replaced by a part, calls replaced by what they run.

Pure functions from a module to a copy of it. Whether a candidate still shows what it is to show is for a trial to say;
a candidate that must fail (it reads an unbound name) is rejected by `unbound`.
"""

from __future__ import annotations

import ast
import builtins
import copy
from collections.abc import Callable, Iterator, Mapping

Place = tuple[tuple[str | int, ...], int]
"""The way to a body, and a statement's number in it."""

_BODIES = ("body", "orelse", "finalbody", "handlers")
_BUILTINS = frozenset(dir(builtins)) | {"__file__", "__name__", "__doc__", "__class__"}
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_IMPORTS = (ast.Import, ast.ImportFrom)


def plain(tree: ast.Module) -> ast.Module:
    """Without docstrings, annotations and their imports' need."""
    tree = copy.deepcopy(tree)
    for node in ast.walk(tree):
        if isinstance(node, (ast.Module, ast.FunctionDef, ast.ClassDef, ast.AsyncFunctionDef)):
            body = node.body
            if body and isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant):
                node.body = body[1:] or [ast.Pass()]
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            node.returns = None
            for argument in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs):
                argument.annotation = None
    return ast.fix_missing_locations(tree)


# ------------------------------------------------------------------ statements


def bodies(node: ast.AST) -> Iterator[tuple[str, list[ast.stmt]]]:
    """The lists of statements of a node, by name."""
    for name in _BODIES:
        body = getattr(node, name, None)
        if isinstance(body, list):
            yield name, body


def removable(tree: ast.AST, level: int) -> list[Place]:
    """The statements at a depth, the last first: what uses a name goes before what binds it."""
    return list(_removable(tree, level, ()))[::-1]


def _removable(tree: ast.AST, level: int, path: tuple[str | int, ...]) -> Iterator[Place]:
    for name, body in bodies(tree):
        for at, one in enumerate(body):
            if level:
                yield from _removable(one, level - 1, (*path, name, at))
            elif not isinstance(one, ast.Pass):
                yield (*path, name), at


def _at(tree: ast.AST, path: tuple[str | int, ...]) -> list[ast.stmt]:
    found: object = tree
    for part in path:
        found = found[part] if isinstance(part, int) else getattr(found, part)  # type: ignore[index]
    assert isinstance(found, list)
    return found


def without(tree: ast.Module, places: list[Place]) -> ast.Module:
    """The tree without these statements."""
    candidate = copy.deepcopy(tree)
    _take_out(candidate, {id(_at(candidate, path)[at]) for path, at in places})
    return candidate


def _take_out(tree: ast.Module, gone: set[int]) -> None:
    for node in list(ast.walk(tree)):
        for name, body in bodies(node):
            if any(id(one) in gone for one in body):
                body[:] = [one for one in body if id(one) not in gone]
                if not body and name == "body" and not isinstance(node, ast.Module):
                    body.append(ast.Pass())


def without_unused(tree: ast.Module) -> ast.Module:
    """The tree without definitions and imports that nothing uses."""
    used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}
    slim = copy.deepcopy(tree)
    slim.body = [one for one in slim.body if _is_used(one, used)]
    for one in slim.body:
        if isinstance(one, _IMPORTS):
            one.names = [alias for alias in one.names if _local(alias) in used]
    return slim


def _is_used(statement: ast.stmt, used: set[str]) -> bool:
    if isinstance(statement, (ast.FunctionDef, ast.ClassDef)):
        return statement.name in used
    if isinstance(statement, _IMPORTS):
        return any(_local(alias) in used for alias in statement.names)
    if isinstance(statement, ast.Assign) and all(isinstance(one, ast.Name) for one in statement.targets):
        simple = isinstance(statement.value, (ast.Constant, ast.Name, ast.Attribute))
        return not simple or any(one.id in used for one in statement.targets if isinstance(one, ast.Name))
    return True


def _local(alias: ast.alias) -> str:
    return alias.asname or alias.name.partition(".")[0]


def with_one_import_each(tree: ast.Module) -> ast.Module:
    """The tree with names that come from one module in one statement: the same program on fewer lines."""
    joined = copy.deepcopy(tree)
    first: dict[tuple[str | None, int], ast.ImportFrom] = {}
    body: list[ast.stmt] = []
    for one in joined.body:
        known = first.setdefault((one.module, one.level), one) if isinstance(one, ast.ImportFrom) else None
        if known is not None and known is not one and isinstance(one, ast.ImportFrom) and one.names[0].name != "*":
            known.names += [alias for alias in one.names if ast.dump(alias) not in map(ast.dump, known.names)]
        else:
            body.append(one)
    joined.body = body
    return joined


# ------------------------------------------------------------- one change each


def unwrapped(tree: ast.Module, number: int) -> ast.Module | None:
    """The tree with the compound statement of this number replaced by its body; None where there are fewer."""
    return _changed(tree, number, _unwraps)


def simpler(tree: ast.Module, number: int) -> ast.Module | None:
    """The tree with one expression replaced by a part of it, or an argument left out; None where there are fewer."""
    return _changed(tree, number, _simplifies)


def bypassed(tree: ast.Module, number: int) -> ast.Module | None:
    """The tree without one part of a module: its calls are their first argument; None where there are fewer."""
    return _changed(tree, number, _bypasses)


def inlined(tree: ast.Module, number: int) -> ast.Module | None:
    """The tree with a function's body in place of its call, or a part in place of the whole that builds it."""
    return _changed(tree, number, _inlines)


_Change = Callable[[], object]


def _changed(tree: ast.Module, number: int, changes: Callable[[ast.Module], Iterator[_Change]]) -> ast.Module | None:
    candidate = copy.deepcopy(tree)
    for count, change in enumerate(changes(candidate)):
        if count == number:
            change()
            return candidate
    return None


def _unwraps(tree: ast.Module) -> Iterator[_Change]:
    for node in ast.walk(tree):
        for _, body in bodies(node):
            for at, one in enumerate(body):
                if isinstance(one, (ast.If, ast.For, ast.While, ast.With, ast.Try)):
                    for inner in filter(None, (one.body, getattr(one, "orelse", []))):
                        yield _replaces(body, slice(at, at + 1), inner)
                elif isinstance(one, (ast.FunctionDef, ast.ClassDef)) and one.decorator_list:
                    yield one.decorator_list.clear


def _replaces(values: list[ast.stmt], where: slice, by: list[ast.stmt]) -> _Change:
    return lambda: values.__setitem__(where, by)


def _simplifies(tree: ast.Module) -> Iterator[_Change]:
    modules = _imported(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign):
            yield from _fewer_targets(node)
        for name, value in ast.iter_fields(node):
            for at, one in enumerate(value if isinstance(value, list) else [value]):
                called = isinstance(node, ast.Call) and name == "func"
                for part in _parts(one, called, modules):
                    yield _sets(node, name, value, at, part)
        if isinstance(node, ast.Call):
            for at in range(len(node.keywords)):
                yield _deletes(node.keywords, at)
            for at in range(len(node.args)):
                yield _deletes(node.args, at)


def _sets(node: ast.AST, name: str, value: object, at: int, part: ast.expr) -> _Change:
    return lambda: value.__setitem__(at, part) if isinstance(value, list) else setattr(node, name, part)


def _deletes(values: list[ast.expr] | list[ast.keyword], at: int) -> _Change:
    return lambda: values.__delitem__(at)


def _fewer_targets(node: ast.Assign) -> Iterator[_Change]:
    """One pair less in `a, b = x, y`."""
    (target, *others), value = node.targets, node.value
    if others or not isinstance(target, ast.Tuple) or not isinstance(value, ast.Tuple):
        return
    if len(target.elts) == len(value.elts) and not any(isinstance(one, ast.Starred) for one in target.elts):
        for at in range(len(value.elts)):
            rest = [one for place, one in enumerate(target.elts) if place != at]
            values = [one for place, one in enumerate(value.elts) if place != at]
            if len(rest) == 1:
                yield _assigns(node, rest[0], values[0])
            elif rest:
                yield _assigns(node, ast.Tuple(rest, ast.Store()), ast.Tuple(values, ast.Load()))


def _assigns(node: ast.Assign, target: ast.expr, value: ast.expr) -> _Change:
    def change() -> None:
        node.targets, node.value = [target], value

    return change


def _imported(tree: ast.Module) -> frozenset[str]:
    return frozenset(_local(alias) for node in ast.walk(tree) if isinstance(node, _IMPORTS) for alias in node.names)


def _parts(one: object, called: bool, modules: frozenset[str]) -> Iterator[ast.expr]:
    """What may stand for an expression: its operands, the receiver or the arguments of a call."""
    if isinstance(one, ast.BinOp):
        yield from (one.left, one.right)
    elif isinstance(one, ast.BoolOp):
        yield from one.values
    elif isinstance(one, ast.Compare):
        yield one.left
    elif isinstance(one, ast.IfExp):
        yield from (one.body, one.orelse)
    elif isinstance(one, ast.Call):
        if isinstance(one.func, ast.Attribute) and not _is_module(one.func.value, modules):
            yield one.func.value
        yield from (argument for argument in one.args if not isinstance(argument, ast.Starred))
    elif isinstance(one, ast.Attribute) and isinstance(one.ctx, ast.Load) and not called:
        if not _is_module(one.value, modules):
            yield one.value
    elif isinstance(one, ast.Subscript) and isinstance(one.ctx, ast.Load):
        yield one.value
    elif isinstance(one, (ast.Tuple, ast.List)) and isinstance(one.ctx, ast.Load):
        yield from one.elts[:2]
    elif isinstance(one, ast.ListComp):
        yield ast.List([one.elt], ast.Load())
    elif isinstance(one, ast.UnaryOp):
        yield one.operand


def _is_module(one: ast.expr, modules: frozenset[str]) -> bool:
    """Whether it is a module or an instance, which stand for no value."""
    while isinstance(one, ast.Attribute):
        one = one.value
        if isinstance(one, ast.Name) and one.id == "self":
            return False
    return isinstance(one, ast.Name) and (one.id in modules or one.id in ("self", "super"))


# ------------------------------------------------------------- several at once


def _bypasses(tree: ast.Module) -> Iterator[_Change]:
    """Parts of a module, `self.part = ...`, with the calls `self.part(x)` as `x`."""
    for owner in tree.body:
        if isinstance(owner, ast.ClassDef):
            for name in dict.fromkeys(_stored(owner)):
                if any(_is_call_of(node, name) for node in ast.walk(owner)):
                    yield _bypass(tree, owner, name)


def _bypass(tree: ast.Module, owner: ast.ClassDef, name: str) -> _Change:
    def change() -> None:
        _Bypassed(name).visit(owner)
        alone = [node for node in ast.walk(owner) if isinstance(node, ast.Assign) and set(_stored(node)) == {name}]
        _take_out(tree, {id(one) for one in alone if isinstance(one.targets[0], ast.Attribute)})

    return change


class _Bypassed(ast.NodeTransformer):
    def __init__(self, name: str) -> None:
        self._name = name

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        return node.args[0] if _is_call_of(node, self._name) else node


def _is_call_of(node: ast.AST, name: str) -> bool:
    """Whether it is `self.name(x, ...)` or, for a list of parts, `self.name[n](x, ...)`."""
    if not isinstance(node, ast.Call) or not node.args or isinstance(node.args[0], ast.Starred):
        return False
    called = node.func.value if isinstance(node.func, ast.Subscript) else node.func
    return isinstance(called, ast.Attribute) and called.attr == name and _is_self(called.value)


def _is_self(node: ast.AST) -> bool:
    return isinstance(node, ast.Name) and node.id == "self"


def _stored(tree: ast.AST) -> Iterator[str]:
    """The attributes of `self` that are assigned."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store) and _is_self(node.value):
            yield node.attr


def _inlines(tree: ast.Module) -> Iterator[_Change]:
    functions = {one.name: one for one in tree.body if isinstance(one, ast.FunctionDef)}
    classes = {one.name: one for one in tree.body if isinstance(one, ast.ClassDef)}
    for at, statement in enumerate(tree.body):
        if isinstance(statement, (ast.FunctionDef, ast.ClassDef)):
            continue
        for node in ast.walk(statement):
            for name, value in ast.iter_fields(node):
                for place, one in enumerate(value if isinstance(value, list) else [value]):
                    part = _element(one)
                    if part is not None:
                        yield _sets(node, name, value, place, part)
                    if not isinstance(one, ast.Call) or not isinstance(one.func, ast.Name):
                        continue
                    function = functions.get(one.func.id)
                    if function is not None and not one.args and not one.keywords and _is_straight(function):
                        yield _inline(tree, at, function, (node, name, value, place))
                    if one.func.id in classes:
                        for inner in _constructors(classes, classes[one.func.id], one):
                            yield _sets(node, name, value, place, inner)


def _element(one: object) -> ast.expr | None:
    """`x` for `(x, y)[0]`."""
    if isinstance(one, ast.Subscript) and isinstance(one.value, ast.Tuple) and isinstance(one.slice, ast.Constant):
        number, values = one.slice.value, one.value.elts
        if isinstance(number, int) and 0 <= number < len(values):
            return values[number]
    return None


def _is_straight(function: ast.FunctionDef) -> bool:
    """Whether it takes nothing and its body is plain statements with a value at their end."""
    *before, last = function.body
    takes = function.args
    nothing = not (takes.args or takes.posonlyargs or takes.kwonlyargs or takes.vararg or takes.kwarg)
    simple = all(isinstance(one, (ast.Assign, ast.AnnAssign, ast.Expr, *_IMPORTS)) for one in before)
    returns = isinstance(last, ast.Return) and last.value is not None
    return nothing and simple and returns and not function.decorator_list


def _inline(tree: ast.Module, at: int, function: ast.FunctionDef, where: tuple[ast.AST, str, object, int]) -> _Change:
    def change() -> None:
        *before, last = copy.deepcopy(function.body)
        assert isinstance(last, ast.Return)
        assert last.value is not None
        _sets(*where, last.value)()
        tree.body[at:at] = before

    return change


def _constructors(classes: Mapping[str, ast.ClassDef], owner: ast.ClassDef, call: ast.Call) -> Iterator[ast.expr]:
    """The constructor calls of the project's classes in the constructor of one, with the arguments of its call."""
    made = next((one for one in owner.body if isinstance(one, ast.FunctionDef) and one.name == "__init__"), None)
    if made is None:
        return
    names = [one.arg for one in made.args.args]
    known = dict(zip(names[::-1], made.args.defaults[::-1], strict=False)) | dict(
        zip(names[1:], call.args, strict=False)
    )
    known |= {one.arg: one.value for one in call.keywords if one.arg is not None}
    for node in ast.walk(made):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in classes:
            yield _Given(known).visit(copy.deepcopy(node))


class _Given(ast.NodeTransformer):
    """Replaces names by what they are given."""

    def __init__(self, known: Mapping[str, ast.expr]) -> None:
        self._known = known

    def visit_Name(self, node: ast.Name) -> ast.AST:
        return copy.deepcopy(self._known.get(node.id, node))


# --------------------------------------------------------------- known to fail


def unbound(tree: ast.Module) -> frozenset[str]:
    """Names that are read where nothing binds them, and attributes of `self` that nothing sets."""
    set_up = {*_stored(tree)} | {
        name for one in ast.walk(tree) if isinstance(one, ast.ClassDef) for part in one.body for name in _binds(part)
    }
    read = {
        f"self.{node.attr}"
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load) and _is_self(node.value)
        if node.attr not in set_up
    }
    return frozenset(read | set(_unbound(tree, _BUILTINS)))


def _unbound(scope: ast.AST, outer: frozenset[str]) -> Iterator[str]:
    inside = list(_own_nodes(scope))
    bound = outer | {name for node in inside for name in _binds(node)}
    if isinstance(scope, _FUNCTIONS):
        bound |= {node.arg for node in ast.walk(scope.args) if isinstance(node, ast.arg)}
    for node in inside:
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id not in bound:
            yield node.id
        if isinstance(node, _FUNCTIONS):
            yield from _unbound(node, bound)


def _own_nodes(scope: ast.AST) -> Iterator[ast.AST]:
    """What stands in a scope, without what stands in the functions in it."""
    for node in ast.iter_child_nodes(scope):
        yield node
        if not isinstance(node, _FUNCTIONS):
            yield from _own_nodes(node)


def _binds(node: ast.AST) -> Iterator[str]:
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        yield node.name
    elif isinstance(node, _IMPORTS):
        yield from map(_local, node.names)
    elif isinstance(node, (ast.Assign, ast.AnnAssign)):
        yield from (one.id for one in ast.walk(node) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store))
    elif isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
        yield node.id
    elif isinstance(node, ast.ExceptHandler) and node.name:
        yield node.name
    elif isinstance(node, (ast.Global, ast.Nonlocal)):
        yield from node.names
