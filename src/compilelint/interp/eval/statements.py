"""Statements: one function a node kind. Control flow lives here; what a test means lives in `truth`."""

from __future__ import annotations

from collections.abc import Callable

from compilelint import events
from compilelint.interp.core import sizes
from compilelint.interp.core.frame import Frame, register_exec
from compilelint.interp.core.perform import Operation, perform
from compilelint.interp.core.refusals import refused
from compilelint.interp.core.state import State, join_states
from compilelint.interp.core.surroundings import Loop
from compilelint.interp.devices import capture, placement
from compilelint.interp.effects import attribute_writes, container_writes
from compilelint.interp.eval import truth, unrolled
from compilelint.interp.hosts import decorators
from compilelint.interp.kinds import class_decorators
from compilelint.interp.kinds.binary_operators import binary
from compilelint.interp.kinds.items import index_read
from compilelint.interp.refusals import caught_errors, refused_calls, refused_objects
from compilelint.interp.regions import checkpoint_bodies, error_on_break, leaving_region, operator_bodies
from compilelint.model import Doubt
from compilelint.syntax import ir
from compilelint.syntax.walk import dotted_name
from compilelint.torchfacts import SyntaxForm
from compilelint.values import (
    NONE,
    UNKNOWN,
    ClassRef,
    Const,
    External,
    FunctionRef,
    Instance,
    Mapping,
    Object,
    Sequence,
    Tensor,
    Value,
    join,
    tensor_arm,
)

_LOOP_PASSES = 3
# So many loops around one, and it is run once a pass: theirs bring it to its fixpoint too, and runs multiply.
_DEEP = 4


@register_exec(ir.Assign)
def assign(f: Frame, n: ir.Assign) -> None:
    sizes.unpacked(f, n.targets, n.value)
    value = f.eval(n.value)
    if f.state is None:
        return
    f.around.rhs = n.value
    for target in n.targets:
        f.interp.assign(f, target, value, n.pos)
    f.around.rhs = None
    name = n.targets[0]
    if name.__class__ is ir.Name:
        if n.value.__class__ is ir.Attr:
            f.aliases[name.id] = n.value
        elif f.aliases:
            f.aliases.pop(name.id, None)


@register_exec(ir.AnnAssign)
def annotated_assign(f: Frame, n: ir.AnnAssign) -> None:
    if n.value is not None:
        value = f.eval(n.value)
        if value is UNKNOWN:
            value = f.interp.annotated(f.module, n.annotation, f.origin("annotation", n.pos))
        f.interp.assign(f, n.target, value, n.pos)


@register_exec(ir.AugAssign)
def augmented_assign(f: Frame, n: ir.AugAssign) -> None:
    target = n.target
    old = f.eval(target)
    step = f.eval(n.value)
    value = perform(f, Operation.BINARY, f"{n.op}=", (old, step), n.pos)
    if value is None:
        value = binary(f, n.op, old, step, n.pos)
    if isinstance(old, Tensor) and not isinstance(target, ir.Index):
        placement.written(f, old, f"{n.op}=", n.pos)
        capture.written(f, old, f"{n.op}=", n.pos)
        operator_bodies.written(f, old)
    if n.op == "|" and isinstance(step, Mapping) and isinstance(target, (ir.Name, ir.Attr)):
        container_writes.contained(f, target, "update", step, n.pos, step)
    if isinstance(target, ir.Index):
        # `x[m] += v` reads x[m] first: a mask load, as the evaluation of the target has emitted already.
        f.around.rhs = n
        f.interp.store_item(f, target, value, n.pos)
    else:
        f.around.rhs = n
        f.interp.assign(f, target, value, n.pos, "augmented")
    f.around.rhs = None


@register_exec(ir.ExprStmt)
def expression(f: Frame, n: ir.ExprStmt) -> None:
    f.around.dropped = n.value.pos
    f.eval(n.value)


@register_exec(ir.Return)
def return_(f: Frame, n: ir.Return) -> None:
    value = NONE if n.value is None else f.eval(n.value)
    leaving_region.returned(f, value, n.pos)
    f.returns = join(f.returns, value)
    if f.state is not None:
        f.returned(f.state)
    _usually_returned(f, n)
    _leave(f)


def _usually_returned(f: Frame, n: ir.Return) -> None:
    """The first return that is mostly reached says what the function mostly returns, where that is a flag."""
    if f.usual_return is not None or f.around.rare:
        return
    flag = n.value if isinstance(n.value, ir.Const) and type(n.value.value) is bool else None
    open_ = f.around.doubtful or f.around.loops or "try" in f.around.blocks  # another return may come first as well
    f.usual_return = NONE if flag is None or open_ else Const(flag.value)


def _leave(f: Frame) -> None:
    f.kept = join_states([f.kept, f.state])
    f.state = None


@register_exec(ir.Raise)
def raise_(f: Frame, n: ir.Raise) -> None:
    if n.exc is not None:
        cap = f.around.cap
        if "try" not in f.around.blocks:  # an error that is caught here may well be the usual way
            f.around.cap = Doubt.FAILS_ANYWAY.lower(f.around.cap)  # what only the text of an error reads
        caught_errors.raised(f, f.eval(n.exc), n.pos)
        f.around.cap = cap
    _leave(f)


@register_exec(ir.Jump)
def jump(f: Frame, n: ir.Jump) -> None:
    if n.kind == "pass" or f.state is None:
        return
    if f.around.loops:
        (f.around.loops[-1].breaks if n.kind == "break" else f.around.loops[-1].continues).append(f.state)
    f.state = None


@register_exec(ir.For)
def for_(f: Frame, n: ir.For) -> None:
    iterable = f.eval(n.iterable)
    if f.state is None:
        return
    items = unrolled.items_of(f, iterable)
    if items is not None:

        def one_pass(value: Value) -> None:
            f.interp.assign(f, n.target, value, n.pos)
            f.run(n.body)

        unrolled.passes(f, items, one_pass)
        f.run(n.other)
        return
    item = f.interp.iterate(f, iterable, n.iterable.pos)

    def head() -> bool | None:
        f.interp.assign(f, n.target, item, n.pos)
        return None

    before = f.here
    _loop(f, n, head)
    if isinstance(iterable, Sequence) and iterable.items == () and f.state is not None:
        f.state.broke, f.state.skipped = before.broke, before.skipped  # nothing to loop over


@register_exec(ir.While)
def while_(f: Frame, n: ir.While) -> None:
    _loop(f, n, lambda: truth.decide(f, n.test, "while"))


def _loop(f: Frame, n: ir.For | ir.While, head: Callable[[], bool | None]) -> None:
    """Run the body until nothing new is believed. Twice is nearly always enough; a third pass widens nothing more."""
    kind, test = ("while", n.test) if isinstance(n, ir.While) else ("for", None)
    blocks, cap = f.around.blocks, f.around.cap
    exits: list[State] = []
    entry = f.here
    before = f.interp.symbols
    passed: State | None = None
    for _ in range(_LOOP_PASSES if len(f.around.loops) < _DEEP else 1):
        loop = Loop()
        f.around.loops.append(loop)
        f.state = entry.copy()
        f.around.blocks = (*blocks, kind)
        decided = head()
        f.around.blocks = blocks
        if f.state is None:
            f.around.loops.pop()
            break
        if kind == "while" and not blocks:
            f.state.skipped = entry.skipped  # the test is a jump, at which Dynamo splits: measured on 2.13
        if decided is not True:
            leaving = f.state
            f.state = leaving.copy()
            if test is not None:
                truth.assume(f, test, False)
            if f.state is not None:
                exits.append(f.state)
            f.state = leaving
        if decided is False:
            f.around.loops.pop()
            break
        f.around.blocks = (*blocks, kind)
        if test is not None:
            truth.assume(f, test, True)
        f.run(n.body)
        f.around.blocks = blocks
        f.around.loops.pop()
        exits.extend(loop.breaks)
        end = join_states([f.state, *loop.continues])
        sizes.passed(entry, end, before + 1)
        passed = join_states([end, *loop.breaks])
        again = join_states([entry, end])
        if again is None or again.same_as(entry):
            break
        entry = again
    else:
        exits.append(entry)
    f.around.blocks, f.around.cap = blocks, cap
    f.state = join_states(exits)
    if kind == "for" and passed is not None and f.state is not None:  # who loops mostly has something to loop over
        f.state.broke |= passed.broke
        f.state.skipped |= passed.skipped
    if f.state is not None and n.other:
        f.run(n.other)


@register_exec(ir.With)
def with_(f: Frame, n: ir.With) -> None:
    if n.is_async:
        refused_objects.awaited(f, n.pos)
    blocks, modes, context = f.around.blocks, f.modes, f.context
    for expr, target in n.items:
        f.around.with_item = expr
        error_on_break.entered(f, expr)
        manager = f.eval(expr)
        if f.state is None:
            break
        value, trivial = f.interp.enter(f, manager, expr)
        if target is not None:
            f.interp.assign(f, target, value, expr.pos)
        if not trivial:
            f.around.blocks = (*f.around.blocks, "with")
        if isinstance(manager, Instance) and manager.name in _NO_GRADIENTS:
            f.modes = f.modes.but(gradients=False)
    if f.state is not None:
        f.run(n.body)
    f.around.blocks, f.modes, f.context = blocks, modes, context


_NO_GRADIENTS = ("torch.no_grad", "torch.inference_mode", "torch.autograd.no_grad", "torch.autograd.inference_mode")


@register_exec(ir.Assert)
def assert_(f: Frame, n: ir.Assert) -> None:
    """A single tensor with a constant message is an asynchronous assert; `not`, `and` and `or` in it are jumps."""
    cap = f.around.cap
    negated = isinstance(n.test, ir.Unary) and n.test.op == "not"
    if negated or isinstance(n.test, (ir.BoolOp, ir.IfExp)) or (isinstance(n.test, ir.Compare) and len(n.test.ops) > 1):
        truth.decide(f, n.test, "assert")
    else:
        value = f.eval(n.test)
        caught_errors.asserted(f, n, value)
        tensor = tensor_arm(value)
        if tensor is not None:
            form = _assert_form(n.message)
            outcome = f.interp.facts.syntax(form)
            f.emit(events.Branch(f.site(n.test.pos), outcome, "assert", tensor))
            f.broken_by(outcome, tensor.confidence)
    # The message is evaluated only when the assert fails: nothing in it is traced.
    f.around.cap = cap
    truth.assume(f, n.test, True)


def _assert_form(message: ir.Expr | None) -> SyntaxForm:
    if message is None:
        return SyntaxForm.ASSERT_BARE
    if isinstance(message, ir.FString):
        return SyntaxForm.ASSERT_FSTRING
    if isinstance(message, ir.Const) and isinstance(message.value, str):
        return SyntaxForm.ASSERT
    return SyntaxForm.ASSERT_NON_STRING


def _is_outer(f: Frame, name: str) -> bool:
    """Whether a name that a function deletes is a global one; of an enclosing function's, torch 2.15 takes it."""
    if f.function is None or name in f.function.node.local_names:
        return False
    frame = f.closure
    while frame is not None:
        state = frame.state or frame.kept
        if (frame.function is not None and name in frame.function.node.local_names) or (state and name in state.names):
            return False
        frame = frame.closure
    return True


@register_exec(ir.Delete)
def delete(f: Frame, n: ir.Delete) -> None:
    for target in n.targets:
        if isinstance(target, ir.Name):
            f.here.names.pop(target.id, None)
            if _is_outer(f, target.id):
                refused(f, "GB0082", "del", (), n.pos)
        elif isinstance(target, ir.Attr):
            key = dotted_name(target)
            f.here.paths.pop(key, None)
            owner = f.eval(target.value)
            if isinstance(owner, Object):
                f.emit(events.Mutation(f.site(n.pos), None, "self", target.name, "delete"))
                checkpoint_bodies.attribute_deleted(f, target, owner, n.pos)
                attribute_writes.deleted(f, target, owner, n.pos)
        elif isinstance(target, ir.Index):
            held = f.eval(target.value)
            checkpoint_bodies.container_changed(f, target.value, held, n.pos)
            perform(f, Operation.DELETE_ITEM, "del", (held, f.eval(target.index)), n.pos)
            container_writes.contained(f, target.value, "del", UNKNOWN, n.pos, f.eval(target.index))
            if isinstance(held, Sequence):
                index_read(f, held, f.eval(target.index), n.pos)


@register_exec(ir.Scope)
def scope(f: Frame, n: ir.Scope) -> None:
    return None


@register_exec(ir.Import)
def import_(f: Frame, n: ir.Import) -> None:
    for dotted, alias in n.names:
        refused_objects.imported(f, dotted, n.pos)
        if alias:
            f.here.bind(alias, External(f.module.named(dotted)))
        else:
            top = dotted.partition(".")[0]
            f.here.bind(top, External(f.module.named(top)))


@register_exec(ir.ImportFrom)
def import_from(f: Frame, n: ir.ImportFrom) -> None:
    base = f.module.absolute(n.module, n.level)
    for name, alias in n.names:
        if name != "*":
            f.here.bind(alias or name, f.interp.program.member(base, name))


@register_exec(ir.Function)
def function(f: Frame, n: ir.Function) -> None:
    f.interp.defaults_of(f, n)
    if n.decorators and not f.modes.silent and refused_calls.asks_comptime(f, n):
        refused(f, "GB0030", "comptime", (), n.decorators[0].pos)
    made = FunctionRef(f.module.function(n, None), None, f if f.function is not None else None)
    f.effects.made.append(made)
    if n.decorators and not f.modes.silent:
        decorators.called(f, made)
    f.here.bind(n.name, decorators.decorated(f, made) if f.modes.host else made)


@register_exec(ir.Class)
def class_(f: Frame, n: ir.Class) -> None:
    outcome = f.interp.facts.syntax(SyntaxForm.CLASS_DEFINITION)
    f.emit(events.Syntax(f.site(n.head), outcome, SyntaxForm.CLASS_DEFINITION.value))
    local = f.function is not None
    bases = decorators.bases_of(f, n) if f.modes.silent and local else None
    if local and f.interp.reworking:
        made = class_decorators.class_made(f, n, bases)
    else:
        made = f.interp.program.class_info(f.module, n, f if local else None, bases)
    forward = made.own("forward") if local and made.is_module and not f.modes.host else None
    if forward is not None:
        f.effects.made.append(FunctionRef(forward, Object(made), f))
    f.here.bind(n.name, f.interp.program.finished(made) if n.decorators else ClassRef(made))
    if f.modes.host:
        decorators.of_methods(f, made)
