"""Sizes that a loop feeds to a compiled object: a list of sizes, a count, a schedule that raises them (a curriculum).

A size varies if it is the variable of a loop over several numbers, or computed in the loop from what counts its rounds.
It reaches the call as a dimension of a tensor that is made, resized or cut in the same loop. Nothing is evaluated.
Does not belong here: tensors that grow by what the call returns (`interp`), smaller last batches (`around`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass

from compilelint.events import WrapperHow, WrapperUse
from compilelint.model import Confidence, Doubt, weakest
from compilelint.survey.by_name import Spots
from compilelint.survey.compiled_objects import Seen, function_called, given
from compilelint.survey.loops import values_of
from compilelint.survey.scopes import Scope, Spot, argument, expressions, own_expressions, parts, statements
from compilelint.survey.views import LOADERS, View
from compilelint.survey.written_values import Written
from compilelint.syntax import ir, places
from compilelint.syntax.walk import dotted_name, last_name

_MAKERS = frozenset({"rand", "randn", "zeros", "ones", "empty", "full", "randint"})
_NUMBERS_TOO = frozenset({"full", "randint"})  # makers that are given numbers beside sizes
_RESIZERS = frozenset({"torch.nn.functional.interpolate", "torchvision.transforms.functional.resize"})
_OF_IMAGES = (2, 3)  # height and width, which resizing changes
_ARITHMETIC = frozenset({"min", "max", "int", "round", "abs"})
_COUNTING = frozenset({"range", "trange", "enumerate", "count"})


@dataclass(frozen=True)
class _Size:
    """A size that varies: its name, its dimensions (none if unknown), and the tensor as the call writes it."""

    name: str
    dimensions: tuple[int, ...]
    tensor: str


def fed_sizes(view: View, seen: Seen) -> Iterator[WrapperUse]:
    """Calls in a loop with tensors one of whose dimensions the loop varies, without `dynamic=True`."""
    dynamic = argument(view.of.call, -1, "dynamic")
    if not (dynamic is None or (isinstance(dynamic, ir.Const) and dynamic.value in (None, False))):
        return
    if any(spots.once(marks) or spots.once(_takes_symbols) for spots in seen.values()):
        return  # a helper may mark what it is given
    written = Written(view, seen)
    fixed = isinstance(dynamic, ir.Const) and dynamic.value is False
    for run in view.runs:
        loops = [block for block in run.blocks if isinstance(block, (ir.For, ir.While))]
        varying = (
            {} if any(_starts_over(loop, view.of.call) for loop in loops) else dict(_varying(run.scope, loops, written))
        )
        size = _fed(run, loops, varying) if varying else None
        count = None if size is None else varying[size.name]
        if size is None:
            continue
        how: WrapperHow = "sizes-fixed" if fixed else "sizes"
        sure = Confidence.CERTAIN if fixed and count is not None else Doubt.SIZES_UNKNOWN.cap
        yield WrapperUse(
            run.site(),
            None,
            how,
            view.name,
            size.name,
            view.of.made,
            weakest(sure, view.sure),
            size.dimensions,
            size.tensor,
            count,
        )


def marks(spots: Spots) -> bool:
    """Whether a scope marks a dimension as dynamic."""
    return any(last_name(call.func).startswith("mark_") for _, call in spots.calls)


def _takes_symbols(spots: Spots) -> bool:
    """Whether a scope sets that sizes are symbols from the first call on."""
    return any(
        isinstance(s, ir.Assign) and isinstance(s.value, ir.Const) and s.value.value is False
        for s in (spot.statement for spot in spots if last_name(spot.expr) == "assume_static_by_default")
    )


def _starts_over(loop: ir.For | ir.While, made: ir.Call) -> bool:
    """Whether a loop compiles in each round, or forgets what was compiled: then no size meets another's code."""
    inside = (one for s, _ in statements(loop.body) for one in expressions(own_expressions(s)))
    return any(
        isinstance(one, ir.Call)
        and (one.pos == made.pos or dotted_name(one.func) in ("torch._dynamo.reset", "torch.compiler.reset"))
        for one in inside
    )


# --------------------------------------------------------------- what varies


def _varying(scope: Scope, loops: list[ir.For | ir.While], written: Written) -> Iterator[tuple[str, int | None]]:
    """The names that differ from round to round and may be sizes, each with how many values it has, None if unknown."""
    counts: set[str] = set()
    for loop in loops:
        if isinstance(loop, ir.For):
            names = [one.id for one in expressions([loop.target]) if isinstance(one, ir.Name)]
            sources = [one for one in written.values(loop.iterable) if _several(one)]
            if sources:
                yield from ((name, _count(loop.iterable, sources)) for name in _given_names(loop))
            if isinstance(loop.iterable, ir.Call) and last_name(loop.iterable.func) in _COUNTING:
                counts.update(names[:1])
        for s, _ in statements(loop.body):
            if isinstance(s, ir.AugAssign) and isinstance(s.target, ir.Name) and _is_step(s):
                counts.add(s.target.id)
                if _starts_as_number(scope, s.target.id):
                    yield s.target.id, None
    for loop in loops:
        for s, _ in statements(loop.body):
            target = s.targets[0] if isinstance(s, ir.Assign) and len(s.targets) == 1 else None
            if isinstance(s, ir.Assign) and isinstance(target, ir.Name) and _computed(scope, s.value, counts):
                yield target.id, None


def _given_names(loop: ir.For) -> list[str]:
    """The names that a loop binds to what it goes over; `enumerate` binds its count to the first."""
    target = loop.target
    counted = isinstance(loop.iterable, ir.Call) and last_name(loop.iterable.func) == "enumerate"
    if counted:
        target = target.items[1] if isinstance(target, ir.Display) and len(target.items) == 2 else target
        return [target.id] if isinstance(target, ir.Name) and target is not loop.target else []
    return [one.id for one in expressions([target]) if isinstance(one, ir.Name)]


def _count(over: ir.Expr, sources: list[ir.Expr]) -> int | None:
    """How many values a loop goes over, where they stand in the loop itself; other calls may pass other lists."""
    return values_of(over) if sources == [over] else None


def _several(over: ir.Expr) -> bool:
    """Whether a loop goes over numbers written down: a tuple or list of at least two, or a `range` with a start."""
    if isinstance(over, ir.Display):
        return len({one.value for one in over.items if isinstance(one, ir.Const)}) > 1
    return (
        isinstance(over, ir.Call)
        and last_name(over.func) == "range"
        and len(over.args) > 1
        and values_of(over) not in (0, 1)
    )


def _is_step(s: ir.AugAssign) -> bool:
    return s.op in ("+", "-", "*", "//", "+=", "-=", "*=", "//=")


def _starts_as_number(scope: Scope, name: str) -> bool:
    """Whether a name is a whole number above one at first, as sizes are and counters are not."""
    values = [one.value for one in scope.assigned(name) if isinstance(one, ir.Const)]
    return bool(values) and all(isinstance(one, int) and not isinstance(one, bool) and one > 1 for one in values)


def _computed(scope: Scope, value: ir.Expr, counts: set[str]) -> bool:
    """Whether a number is computed from what counts the rounds: arithmetic, an item of a list of numbers."""
    if isinstance(value, ir.Index):
        return _is_list_of_numbers(scope, value.value) and _asks(value.index, counts)
    if not isinstance(value, (ir.Binary, ir.Call)) or not _asks(value, counts):
        return False
    stack: list[ir.Expr] = [value]
    while stack:
        one = stack.pop()
        if isinstance(one, ir.Call):
            own = function_called(scope, one)
            if last_name(one.func) not in _ARITHMETIC and (own is None or not _returns_whole_number(own.node)):
                return False
            stack += given(one)
        elif isinstance(one, ir.Binary):
            stack += [one.left, one.right]
        elif not isinstance(one, (ir.Name, ir.Const, ir.Attr)):
            return False
    return True


def _asks(value: ir.Expr, counts: set[str]) -> bool:
    return any(isinstance(one, ir.Name) and one.id in counts for one in expressions([value]))


def _is_list_of_numbers(scope: Scope, expr: ir.Expr) -> bool:
    if not isinstance(expr, ir.Name):
        return False
    made = scope.assigned(expr.id)
    return len(made) == 1 and isinstance(made[0], ir.Display) and _several(made[0])


def _returns_whole_number(function: ir.Function) -> bool:
    """Whether a function of the program says that it returns a whole number, or shows it."""
    returns = [s.value for s, _ in statements(function.body) if isinstance(s, ir.Return)]
    return bool(returns) and all(
        (isinstance(one, ir.Const) and isinstance(one.value, int) and not isinstance(one.value, bool))
        or (isinstance(one, ir.Call) and last_name(one.func) in ("int", "round") and isinstance(one.func, ir.Name))
        for one in returns
    )


# --------------------------------------------------------- what reaches the call


def _fed(run: Spot, loops: list[ir.For | ir.While], varying: Collection[str]) -> _Size | None:
    """The first varying size among the tensors that a call is given."""
    call = run.expr
    assert isinstance(call, ir.Call)
    for one in given(call):
        tensor = dotted_name(one)
        made = _last_assigned(run, loops[-1:], tensor) if isinstance(one, ir.Name) else one
        if made is None:
            found = _batched(run, loops, tensor, varying)
        else:
            found = next(_sizes_of(run.scope, made, varying), None)
        if found is not None:
            return _Size(found[0], found[1], tensor)
    return None


def _last_assigned(run: Spot, loops: Iterable[ir.For | ir.While], name: str) -> ir.Expr | None:
    """What the loop has assigned to a name last when it comes to the call."""
    found = None
    for loop in loops:
        for s, _ in statements(loop.body):
            before = places.line_of(s.pos) < places.line_of(run.expr.pos)
            if isinstance(s, ir.Assign) and before and any(_binds(target, name) for target in s.targets):
                found = s.value
    return found


def _binds(target: ir.Expr, name: str) -> bool:
    return any(isinstance(one, ir.Name) and one.id == name for one in expressions([target]))


def _sizes_of(scope: Scope, made: ir.Expr, varying: Collection[str]) -> Iterator[tuple[str, tuple[int, ...]]]:
    """The varying sizes of the tensors that an expression makes, resizes or cuts, with their dimensions.

    What is computed of a tensor keeps the name of the size, not the dimension.
    """
    stack: list[tuple[ir.Expr, bool]] = [(made, True)]
    while stack:
        one, whole = stack.pop()
        for name, dimensions in _own_sizes(scope, one, varying):
            yield name, dimensions if whole else ()
        kept = isinstance(one, ir.Call) and last_name(one.func) in ("to", "cuda", "contiguous")
        inner = parts(one) if not isinstance(one, (ir.Lambda, ir.Opaque)) else ()
        stack += [(part, whole and (kept or isinstance(one, ir.Attr))) for part in inner]


def _own_sizes(scope: Scope, one: ir.Expr, varying: Collection[str]) -> Iterator[tuple[str, tuple[int, ...]]]:
    """The same of the outermost operation alone."""
    if isinstance(one, ir.Index):
        yield from _of_slices(one, varying)
    elif isinstance(one, ir.Call):
        name = scope.name(one.func)
        if name.removeprefix("torch.") in _MAKERS:
            yield from _of_made(one, varying)
        elif name in _RESIZERS:
            size_given = argument(one, 1, "size")
            items = size_given.items if isinstance(size_given, ir.Display) else [size_given]
            yield from ((found, _OF_IMAGES) for part in items if part is not None and (found := _varies(part, varying)))
        elif isinstance(one.func, ir.Attr) and one.func.name == "narrow" and len(one.args) == 3:
            at, length = one.args[0], _varies(one.args[2], varying)
            if length:
                yield length, (at.value,) if isinstance(at, ir.Const) and isinstance(at.value, int) else ()


def _of_slices(one: ir.Index, varying: Collection[str]) -> Iterator[tuple[str, tuple[int, ...]]]:
    """The same of `x[:n]`."""
    axes = one.index.items if isinstance(one.index, ir.Display) else (one.index,)
    for place, axis in enumerate(axes):
        if isinstance(axis, ir.Slice) and axis.upper is not None and _from_start(axis):
            name = _varies(axis.upper, varying)
            if name:
                plain = all(isinstance(before, ir.Slice) for before in axes[:place])
                yield name, (place,) if plain else ()


def _of_made(one: ir.Call, varying: Collection[str]) -> Iterator[tuple[str, tuple[int, ...]]]:
    """The same of what makes a tensor from sizes."""
    maker = last_name(one.func)
    given_first = one.args if maker not in _NUMBERS_TOO else one.args[:1] if maker == "full" else _displays(one.args)
    sizes: list[ir.Expr] = [*given_first, *(value for key, value in one.keywords if key == "size")]
    if len(sizes) == 1 and isinstance(sizes[0], ir.Display):
        sizes = list(sizes[0].items)
    for place, size in enumerate(sizes):
        if isinstance(size, ir.Display):
            yield from ((found, ()) for part in size.items if (found := _varies(part, varying)))
        elif found := _varies(size, varying):
            yield found, (place,)


def _displays(args: Iterable[ir.Expr]) -> list[ir.Expr]:
    return [one for one in args if isinstance(one, ir.Display)]


def _from_start(axis: ir.Slice) -> bool:
    return axis.lower is None or isinstance(axis.lower, ir.Const)


def _varies(size: ir.Expr, varying: Collection[str]) -> str:
    """The varying name that a size is, or is computed from by an offset or a factor; empty if it is none."""
    if isinstance(size, ir.Name):
        return size.id if size.id in varying else ""
    if isinstance(size, ir.Binary):
        sides = [one for one in (size.left, size.right) if not isinstance(one, ir.Const)]
        return _varies(sides[0], varying) if len(sides) == 1 else ""
    return ""


def _batched(
    run: Spot, loops: list[ir.For | ir.While], tensor: str, varying: Collection[str]
) -> tuple[str, tuple[int, ...]] | None:
    """A batch of a loader that the loop around makes for each batch size."""
    inner = loops[-1] if loops else None
    if not isinstance(inner, ir.For) or len(loops) < 2 or not tensor or not _binds(inner.target, tensor):
        return None
    over = inner.iterable
    while isinstance(over, ir.Call) and last_name(over.func) in ("enumerate", "tqdm") and over.args:
        over = over.args[0]
    made = over if isinstance(over, ir.Call) else _last_assigned_before(loops[-2], inner, dotted_name(over))
    if isinstance(made, ir.Call) and run.scope.name(made.func) in LOADERS:
        size = argument(made, 1, "batch_size")
        name = "" if size is None else _varies(size, varying)
        return (name, (0,)) if name else None
    return None


def _last_assigned_before(outer: ir.For | ir.While, inner: ir.For, name: str) -> ir.Expr | None:
    found = None
    for s, _ in statements(outer.body):
        if s is inner:
            break
        if isinstance(s, ir.Assign) and any(_binds(target, name) for target in s.targets):
            found = s.value
    return found
