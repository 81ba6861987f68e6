"""The `DataLoader` that a loop takes batches from, followed by names, parameters and functions that make loaders."""

from __future__ import annotations

from collections.abc import Iterator

from compilelint.project.classes import Assigned, FunctionInfo
from compilelint.survey.compiled_objects import Received, Seen, function_called, passed, stored
from compilelint.survey.scopes import Scope, argument, statements
from compilelint.survey.views import LOADERS, View
from compilelint.syntax import ir
from compilelint.syntax.walk import dotted_name, last_name

# Calls that go over what they are given first.
_AROUND_LOADERS = frozenset({"enumerate", "tqdm", "trange", "track", "iter", "cycle", "islice"})

Found = tuple[Scope, ir.Call]


def unwrapped(iterable: ir.Expr) -> ir.Expr:
    """What a loop goes over, behind `enumerate`, progress bars and iterators."""
    while isinstance(iterable, ir.Call) and last_name(iterable.func) in _AROUND_LOADERS and iterable.args:
        iterable = iterable.args[0]
    return iterable


def loader_of(view: View, iterable: ir.Expr, seen: Seen) -> Found | None:
    """The one `DataLoader(...)` that a loop goes over, with the scope that made it."""
    scope, made = view.scope, unwrapped(iterable)
    over = dotted_name(made)
    if isinstance(view.of, Received) and over and over not in scope.names:
        value = next((one for param, one in passed(view.of.caller, view.of.passed) if param == over), None)
        if value is not None:
            scope, made, over = view.of.caller, unwrapped(value), dotted_name(value)
    if isinstance(made, ir.Call):
        return _made(scope, made, ())
    bound = scope.bindings(over) or [] if over and "." not in over else []
    if len(bound) == 1 and isinstance(bound[0], Assigned) and bound[0].path:
        return _made(scope, bound[0].expr, bound[0].path)
    found = stored(over, scope, seen) if over else None
    return None if found is None else _made(found[0], unwrapped(found[1]), ())


def _made(scope: Scope, expr: ir.Expr | None, path: tuple[int, ...]) -> Found | None:
    """The `DataLoader(...)` that an expression is, or that the function it calls returns, alone or in a tuple."""
    if not isinstance(expr, ir.Call):
        return None
    if scope.name(expr.func) in LOADERS:
        return None if path else (scope, expr)
    code = function_called(scope, expr)
    if code is None or not code.module.linted:
        return None
    made = {id(one[1]): one for one in _returned(scope, code, path) if one is not None}
    # Of several loaders, for training and for tests say, it is not seen which one a call makes.
    return made.popitem()[1] if len(made) == 1 else None


def _returned(scope: Scope, code: FunctionInfo, path: tuple[int, ...]) -> Iterator[Found | None]:
    """What each `return` of a function hands out at a place of the tuple, where that is a `DataLoader(...)`."""
    top = Scope(scope.program, code.module, code.module.ir.body)
    own = Scope(scope.program, code.module, code.node.body, code, code.owner, top)
    for s, _ in statements(own.body):
        if not isinstance(s, ir.Return):
            continue
        value: ir.Expr | None = s.value
        for place in path:
            items = value.items if isinstance(value, ir.Display) else ()
            value = items[place] if place < len(items) else None
        if isinstance(value, ir.Name):
            known = own.assigned(value.id)
            value = known[0] if len(known) == 1 else None
        if isinstance(value, ir.Call) and own.name(value.func) in LOADERS:
            yield own, value


def keeps_last(loader: ir.Call) -> bool:
    """Whether a `DataLoader(...)` batches, and gives the last batch however small it is."""
    if any(name is None for name, _ in loader.keywords) or argument(loader, -1, "batch_sampler") is not None:
        return False
    size = argument(loader, 1, "batch_size")
    if size is None or (isinstance(size, ir.Const) and size.value in (None, 1)):
        return False
    drop = argument(loader, 8, "drop_last")
    return drop is None or (isinstance(drop, ir.Const) and drop.value is False)


_FIRST_SIZE = frozenset({"randn", "rand", "zeros", "ones", "empty"})


def divides(scope: Scope, loader: ir.Call) -> bool:
    """Whether the text gives the number of items of a `DataLoader(...)`, and its batches divide it."""
    size = argument(loader, 1, "batch_size")
    dataset = argument(loader, 0, "dataset")
    count = None if dataset is None else _items(scope, dataset)
    size = None if size is None else _assigned_once(scope, size)
    if count is None or not isinstance(size, ir.Const) or type(size.value) is not int or size.value < 1:
        return False
    return count % size.value == 0


def _items(scope: Scope, dataset: ir.Expr) -> int | None:
    """How many items a dataset of tensors, a tensor or a `range` has, where its size is a number in the text."""
    made = _assigned_once(scope, dataset)
    if not isinstance(made, ir.Call) or any(isinstance(one, ir.Star) for one in made.args):
        return None
    name = last_name(made.func)
    if name == "TensorDataset" and made.args:
        return _items(scope, made.args[0])
    if name == "range" and len(made.args) == 1:
        return _number(scope, made.args[0])
    first = made.args[0] if name in _FIRST_SIZE and made.args else None
    if name == "randint":
        first = argument(made, 2, "size")
    if isinstance(first, ir.Display):
        first = first.items[0] if first.items else None
    return None if first is None else _number(scope, first)


def _number(scope: Scope, expr: ir.Expr) -> int | None:
    value = _assigned_once(scope, expr)
    return value.value if isinstance(value, ir.Const) and type(value.value) is int else None


def _assigned_once(scope: Scope, expr: ir.Expr) -> ir.Expr:
    """The expression, or what the one assignment of its name gives."""
    if isinstance(expr, ir.Name):
        bound = scope.bindings(expr.id) or []
        known = scope.assigned(expr.id)
        if len(bound) == 1 and len(known) == 1:
            return known[0]
    return expr
