"""What the code around compiled calls does: reads on the host in each step, batches and schedules of other sizes.

Nothing is evaluated: what a call gave is followed from assignment to assignment within one loop. Does not belong here:
what is compiled and where it goes by which name (`compiled_objects`), what happens to it (`lifetimes`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from compilelint.events import Around, AroundHow, Event, WrapperUse
from compilelint.model import Confidence, Doubt, weakest
from compilelint.project.compile_modes import records_cuda_graphs
from compilelint.survey.compiled_objects import (
    Mentions,
    Received,
    Seen,
    compiled_objects,
    function_called,
    given,
)
from compilelint.survey.compiled_steps import fed_rates
from compilelint.survey.deadline import look
from compilelint.survey.fed_sizes import fed_sizes, marks
from compilelint.survey.float32_products import float32_products
from compilelint.survey.lifetimes import collected
from compilelint.survey.loaders import divides, keeps_last, loader_of, unwrapped
from compilelint.survey.scopes import Scope, Spot, argument, expressions, own_expressions, parts, statements
from compilelint.survey.served import served
from compilelint.survey.views import View, views
from compilelint.syntax import ir
from compilelint.syntax.walk import dotted_name, last_name

_READS = frozenset({"item", "tolist"})
_CONVERSIONS = frozenset({"float", "int", "print"})
_NAN_TESTS = frozenset({"isnan", "isfinite", "isinf"})
# Of a tensor, what the host knows without asking the device.
_KNOWN_ON_HOST = frozenset({"shape", "dtype", "device", "ndim", "size", "dim", "numel", "requires_grad"})
# Calls that use a number to report it, or give another number; what any other call is given, it may need at once.
_REPORTING = frozenset(
    """
    print log info debug warning write append add_scalar set_postfix set_description update format str round abs float
    int min max exp sqrt
    """.split()
)


def around(seen: Seen) -> Iterator[Event]:
    """All of it, for the compiled objects of one file, whose scopes `seen` holds."""
    objects = list(compiled_objects(seen))
    mentions = Mentions(seen if objects else {})
    float32: Around | None = None  # of a script that compiles several models, one says it for all
    for compiled in objects:
        loaders: set[int] = set()
        for view in views(compiled, seen, mentions):
            look()
            yield from fed_sizes(view, seen)
            yield from _kept(view)
            for loop, runs in _loops(view):
                if float32 is None and _trains(view, loop):
                    float32 = float32_products(compiled)
                yield from _reads(view, loop, runs)
                for event, loader in _uneven(view, loop, runs, seen):
                    if id(loader) not in loaders:
                        loaders.add(id(loader))
                        yield event
        yield from served(compiled, seen, mentions)
    yield from fed_rates(objects, seen)
    if float32 is not None:
        yield float32


def _kept(view: View) -> Iterator[WrapperUse]:
    """Results of CUDA graphs that a function keeps which is passed what is compiled; elsewhere `lifetimes` says so."""
    if isinstance(view.of, Received) and records_cuda_graphs(view.of.call):
        sure = Doubt.ORDER_OF_CALLS.lower(view.sure)
        for run in view.runs:
            if collected(run):
                yield WrapperUse(run.site(), None, "kept-output", view.name, "", view.of.made, sure)


def _loops(view: View) -> Iterator[tuple[ir.For | ir.While, list[Spot]]]:
    """The loops around calls of the compiled object, each with the calls that stand in it and in no inner one."""
    found: dict[int, tuple[ir.For | ir.While, list[Spot]]] = {}
    for run in view.runs:
        loop = run.inside(ir.For, ir.While)
        if isinstance(loop, (ir.For, ir.While)):
            found.setdefault(id(loop), (loop, []))[1].append(run)
    yield from found.values()


class _Flow:
    """The names that hold what some names or calls gave, statement by statement."""

    def __init__(self, names: set[str], calls: Sequence[ir.Expr], scope: Scope) -> None:
        self.names = names
        self._calls = {id(one) for one in calls}
        self._scope = scope

    def holds(self, expr: ir.Expr) -> bool:
        """Whether an expression comes from what is followed, and is still a tensor."""
        stack = [expr]
        while stack:
            one = stack.pop()
            if id(one) in self._calls or (isinstance(one, ir.Name) and one.id in self.names):
                return True
            if _read_from(one) is not None or (isinstance(one, ir.Attr) and one.name in _KNOWN_ON_HOST):
                continue
            if isinstance(one, ir.Call) and _returns_a_read(self._scope, one):
                continue
            if not isinstance(one, (ir.Name, ir.Const, ir.Opaque, ir.Lambda)):
                stack += parts(one)
        return False

    def step(self, s: ir.Stmt) -> None:
        """A statement has run."""
        if isinstance(s, ir.Assign):
            held = self.holds(s.value)
            for target in s.targets:
                for one in _bound(target):
                    (self.names.add if held else self.names.discard)(one)


def _returns_a_read(scope: Scope, call: ir.Call) -> bool:
    """Whether a function of the program is called that hands out nothing but what the host has read."""
    code = function_called(scope, call)
    if code is None:
        return False
    body = [s for s, _ in statements(code.node.body)]
    made: dict[str, list[ir.Expr]] = {}
    for s in body:
        if isinstance(s, ir.Assign):
            for name in (one for target in s.targets for one in _bound(target)):
                made.setdefault(name, []).append(s.value)
    returned = [s.value for s in body if isinstance(s, ir.Return)]
    values = [made.get(one.id, [one]) if isinstance(one, ir.Name) else [one] for one in returned]
    return bool(values) and all(one is not None and _read_from(one) is not None for row in values for one in row)


def _bound(target: ir.Expr) -> Iterator[str]:
    """The names that an assignment to a target binds."""
    if isinstance(target, ir.Name):
        yield target.id
    elif isinstance(target, ir.Display):
        for one in target.items:
            yield from _bound(one)


# ----------------------------------------------------------------------- reads


def _reads(view: View, loop: ir.For | ir.While, runs: list[Spot]) -> Iterator[Around]:
    """The first of the reads that a loop makes in every iteration, with the others; none where it waits anyway."""
    if _calls(loop.body, "synchronize"):
        return
    flow = _Flow(set(), [run.expr for run in runs], view.scope)
    found: list[ir.Expr] = []
    for s, blocks in statements(loop.body):
        every = not any(isinstance(one, ir.If) for one in blocks)
        if every:
            found += [one for one in _reads_of(s, flow) if not _needed(s, loop)]
        flow.step(s)
    if found:
        first, *others = found
        yield _event(view, "read", _written(first), view.scope, first, Doubt.ADVICE.cap, tuple(others))


def _reads_of(s: ir.Stmt, flow: _Flow) -> Iterator[ir.Expr]:
    """What a statement reads on the host without needing it to go on."""
    if isinstance(s, ir.If):
        tests = [one for one in expressions([s.arms[0][0]]) if isinstance(one, ir.Call)]
        asked = [one for one in tests if last_name(one.func) in _NAN_TESTS and any(map(flow.holds, one.args))]
        yield from asked[:1]
        return
    if isinstance(s, (ir.For, ir.While, ir.Return)):
        return
    roots = own_expressions(s)
    consumed: set[int] = set()
    for one in expressions(roots):
        if isinstance(one, ir.Call) and last_name(one.func) not in _REPORTING | _READS:
            consumed.update(id(part) for part in expressions(given(one)))
    for one in expressions(roots):
        read = _read_from(one)
        if read is not None and id(one) not in consumed and any(map(flow.holds, read)):
            yield one


def _read_from(expr: ir.Expr) -> tuple[ir.Expr, ...] | None:
    """The tensors, if they are that, which an expression reads on the host; None if it is no read."""
    if not isinstance(expr, ir.Call):
        return None
    if isinstance(expr.func, ir.Attr) and expr.func.name in _READS:
        return (expr.func.value,)
    if isinstance(expr.func, ir.Name) and expr.func.id in _CONVERSIONS:
        return tuple(_printed(expr.args)) if expr.func.id == "print" else expr.args
    return None


def _printed(values: Sequence[ir.Expr]) -> Iterator[ir.Expr]:
    """What `print` turns into text: its arguments, and the fields of those that are f-strings."""
    for value in values:
        if isinstance(value, ir.FString):
            yield from (one.value for one in value.fields)
        elif isinstance(value, (ir.Name, ir.Attr)):
            yield value


def _needed(s: ir.Stmt, loop: ir.For | ir.While) -> bool:
    """Whether the loop decides by what a statement reads: then no later read will do."""
    if not isinstance(s, ir.Assign):
        return False
    names = {name for target in s.targets for name in _bound(target)}
    tests = [test for one, _ in statements(loop.body) if isinstance(one, ir.If) for test, _ in one.arms]
    tests += [loop.test] if isinstance(loop, ir.While) else []
    return any(isinstance(one, ir.Name) and one.id in names for one in expressions(tests))


def _written(read: ir.Expr) -> str:
    """A read as the message calls it."""
    assert isinstance(read, ir.Call)
    if isinstance(read.func, ir.Attr) and read.func.name in _READS:
        return f"{dotted_name(read.func.value) or '...'}.{read.func.name}()"
    first = dotted_name(read.args[0]) if read.args else ""
    return f"{last_name(read.func)}({first or '...'})"


def _event(
    view: View,
    how: AroundHow,
    detail: str,
    scope: Scope,
    at: ir.Expr,
    cap: Confidence,
    others: tuple[ir.Expr, ...] = (),
) -> Around:
    places = tuple(view.scope.module.ir.location(one.pos) for one in others)
    name = view.of.of.name if isinstance(view.of, Received) and scope is view.of.caller else view.name
    return Around(scope.site(at.pos), None, how, name, detail, view.of.made, places, weakest(cap, view.sure))


# --------------------------------------------------------------------- batches


def _uneven(view: View, loop: ir.For | ir.While, runs: list[Spot], seen: Seen) -> Iterator[tuple[Around, ir.Call]]:
    """The loader of a training loop that keeps a smaller last batch, with what is said of it."""
    dynamic = argument(view.of.call, -1, "dynamic")
    if not (dynamic is None or (isinstance(dynamic, ir.Const) and dynamic.value in (None, False))):
        return
    if not _trains(view, loop) or seen[view.scope].once(marks):
        return
    for over, given_by in _fed_by(view, loop):
        found = loader_of(view, over, seen)
        if found is None or not keeps_last(found[1]) or divides(*found):
            continue
        scope, loader = found
        flow = _Flow(
            set(_bound(loop.target)) if isinstance(loop, ir.For) and not given_by else set(), given_by, view.scope
        )
        called = {id(run.expr) for run in runs}
        for s, _ in statements(loop.body):
            for one in expressions(own_expressions(s)):
                if id(one) in called and isinstance(one, ir.Call) and any(map(flow.holds, given(one))):
                    name = dotted_name(unwrapped(over)) or "DataLoader(...)"
                    yield _event(view, "uneven", name, scope, loader, Doubt.SIZES_UNKNOWN.cap), loader
                    return
            flow.step(s)


def _fed_by(view: View, loop: ir.For | ir.While) -> Iterator[tuple[ir.Expr, list[ir.Expr]]]:
    """What a loop takes batches from: what it goes over, or iterators made before it, with the calls of `next`."""
    if isinstance(loop, ir.For):
        yield loop.iterable, []
    inside = {id(s.value) for s, _ in statements(loop.body) if isinstance(s, ir.Assign)}
    for s, _ in statements(loop.body):
        for one in expressions(own_expressions(s)):
            if not (isinstance(one, ir.Call) and isinstance(one.func, ir.Name) and one.func.id == "next" and one.args):
                continue
            source = one.args[0]
            made = view.scope.assigned(source.id) if isinstance(source, ir.Name) else []
            iterated = {dotted_name(unwrapped(each)): each for each in made if isinstance(each, ir.Call)}
            # What a loop makes in each round gives the first batch only; one that is made again at its end gives all.
            if len(iterated) == 1 and any(id(each) not in inside for each in made):
                yield iterated.popitem()[1], [one]


def _trains(view: View, loop: ir.For | ir.While) -> bool:
    """Whether a loop runs backward, itself or in the step that is compiled."""
    step = view.of.function
    return _calls(loop.body, "backward") or (step is not None and _calls(step.body, "backward"))


def _calls(body: ir.Body, name: str) -> bool:
    """Whether a body calls something of this last name."""
    inside = (one for s, _ in statements(body) for one in expressions(own_expressions(s)))
    return any(isinstance(one, ir.Call) and last_name(one.func) == name for one in inside)
