"""Calls of functions of the program: followed through summaries, or answered by the first step that can.

A function has one summary for like arguments in like surroundings, at most `MAX_CONTEXTS`, then one for all callers.
Where a large project is analysed in parts, functions beyond the part have nearly always the one for all callers, so
that they cost each part little. Does not belong here: what is called (`calls`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from compilelint.events import Context, Site
from compilelint.interp.calls import untraced_calls
from compilelint.interp.calls.bounds import (
    MAX_CHOOSER_CONTEXTS,
    MAX_CONTEXTS,
    MAX_DEPTH,
    MAX_EXACT_CONTEXTS,
    MAX_FAR_CONTEXTS,
    MAX_HOST_CONTEXTS,
    MAX_PROPERTY_CONTEXTS,
    MOST_SETTLING,
    SMALL,
)
from compilelint.interp.calls.identity_functions import given_back
from compilelint.interp.calls.self_state_passed_to_method import carried
from compilelint.interp.core.args import Args
from compilelint.interp.core.binding import bind
from compilelint.interp.core.compile_calls import Target
from compilelint.interp.core.frame import Frame
from compilelint.interp.core.modes import SILENT
from compilelint.interp.core.perform import Operation, perform
from compilelint.interp.core.state import State
from compilelint.interp.core.summaries import (
    MAX_SILENT_FOREIGN,
    key_for_all,
    key_of,
    known,
    promised,
    steps_out,
    summarize,
)
from compilelint.interp.core.summary import Summary
from compilelint.interp.effects import state_slots as guards
from compilelint.interp.hosts import compilers, host
from compilelint.interp.kinds import class_decorators
from compilelint.interp.regions import compiled_inside, error_on_break, lazy_iterators, leaving_region
from compilelint.interp.text import optional_arguments, usage
from compilelint.model import Confidence, weakest
from compilelint.model.slotted import dataclass
from compilelint.project.classes import CONSTRUCTORS, ClassInfo, FunctionInfo
from compilelint.project.compile_calls import how_of
from compilelint.survey.scopes import statements
from compilelint.syntax import ir
from compilelint.syntax.facts import fact
from compilelint.syntax.walk import last_name
from compilelint.values import (
    BOTTOM,
    PLAIN,
    UNKNOWN,
    FunctionRef,
    Object,
    Sequence,
    Unknown,
    Value,
    arms,
    join,
    tensor_arm,
    unsized,
)

# Decorators under which Dynamo does not look: as compile roots and where they are called.
NOT_TRACED = frozenset(
    """
    disable allow_in_graph nonstrict_trace custom_op assume_constant_result triton_op register_fake register_kernel
    leaf_function
    """.split()
)


def is_traced(code: FunctionInfo) -> bool:
    """Whether Dynamo enters the function at all (`torch.compiler.disable` and its like end it).

    `torch.jit.ignore` and `torch.jit.unused` speak to TorchScript only: measured, Dynamo traces what they decorate.
    """
    decorators = code.node.decorators
    return not (decorators and any(keeps_out(d) for d in decorators))


def keeps_out(decorator: ir.Expr) -> bool:
    """Whether a decorator keeps Dynamo out of the function."""
    expr = decorator.func if isinstance(decorator, ir.Call) else decorator
    name = last_name(expr)
    if name == "jit":
        return isinstance(expr, ir.Attr) and last_name(expr.value) == "triton"
    return name in NOT_TRACED


@dataclass(slots=True)
class FunctionCall:
    """A call of a function of the program; `most` is what may be claimed of it, the caller's floor aside."""

    frame: Frame
    ref: FunctionRef
    code: FunctionInfo
    args: Args
    pos: int
    most: Confidence = Confidence.CERTAIN

    @property
    def closure(self) -> Frame | None:
        """The frame that the function was made in."""
        return self.ref.closure if isinstance(self.ref.closure, Frame) else None


def inline(f: Frame, ref: FunctionRef, args: Args, pos: int) -> Value:
    """Call a function of the program: the first step that knows the answer gives it, else the body is followed."""
    if not isinstance(ref.code, FunctionInfo):
        return UNKNOWN
    call = FunctionCall(f, ref, ref.code, args, pos)
    for step in _STEPS:
        answer = step(call)
        if answer is not None:
            return answer
    inner = _enter(call)
    summary = _summary_of(call, inner)
    if summary is None:
        return promised(f, call.code)
    return _leave(call, summary)


# ------------------------------------------------------ calls that are not followed


def _not_worth_running(call: FunctionCall) -> Value | None:
    """In a host: what compiles nothing and leads to no compile call is not run."""
    f, code = call.frame, call.code
    if not f.modes.host:
        return None
    by_decorator = host.calls_method(f, code)
    if by_decorator is not None and isinstance(by_decorator.call, Target):
        by_decorator.call.called(call.args)
    runs = host.follows(f, code, call.ref.closure) and code.module.linted and f.interp.afford_host()
    return None if runs else promised(f, code)


def _compiles_for_a_framework(call: FunctionCall) -> Value | None:
    """In a host: a function of a followed package that compiles what it is given, or one that the project names."""
    f, module = call.frame, call.code.module
    own = f.interp.program.compilers
    if not f.modes.host or (module.linted and not own):
        return None
    name = f"{module.name}.{call.code.node.qualname}"
    how = own.get(name, "") if module.linted else how_of(name, own)
    return compilers.compile_call(f, name, call.args, call.pos) if how else None


def _not_traced(call: FunctionCall) -> Value | None:
    """In a region: a function that Dynamo does not enter."""
    f, ref, code, args, pos = call.frame, call.ref, call.code, call.args, call.pos
    if f.modes.host or is_traced(code):
        return None
    return untraced_calls.call_untraced(f, code, args, pos, lambda: _evaluated(f, ref, args, pos))


def _refused(call: FunctionCall) -> Value | None:
    """Arguments that the function does not take; what else Dynamo minds is only said."""
    compiled_inside.by_decorator(call.frame, call.code, call.pos)
    return perform(call.frame, Operation.CALL, call.code.node.name, (call.ref,), call.pos, None, call.args)


def _identity_function(call: FunctionCall) -> Value | None:
    return given_back(call.frame, call.code, call.args)


def _wrapped_by_decorator(call: FunctionCall) -> Value | None:
    f, ref, args = call.frame, call.ref, call.args
    wrapper = f.interp.wrapper_of(f, ref, call.code)
    if wrapper is None:
        return None
    receiver = [] if ref.receiver is None else [ref.receiver]
    given = Args([*receiver, *args.positional], args.keywords, args.star, args.double_star)
    return f.interp.call(f, wrapper, given, call.pos)


def _too_deep(call: FunctionCall) -> Value | None:
    """Calls in calls beyond the bound, and where only a value is looked up, packages beyond packages."""
    f, code, interp = call.frame, call.code, call.frame.interp
    settling = interp.handed_fields.at_work and f.depth < interp.silent_depth + MOST_SETTLING
    followed = code.module.linted or interp.reworking or settling
    if f.depth >= MAX_DEPTH or (not followed and steps_out(f) == MAX_SILENT_FOREIGN):
        return promised(f, code)
    return None


_STEPS: tuple[Callable[[FunctionCall], Value | None], ...] = (
    _compiles_for_a_framework,
    _not_worth_running,
    _not_traced,
    _refused,
    _identity_function,
    _wrapped_by_decorator,
    _too_deep,
)


# ------------------------------------------------------------- following a body


def _enter(call: FunctionCall) -> Frame:
    """The frame of the function that is called: how it runs, and how much may be claimed of it."""
    f, code, interp = call.frame, call.code, call.frame.interp
    # What some other root compiles anyway is not made doubtful by a doubtful caller.
    doubted = f.context.host_class and id(code.node) not in interp.trusted
    recorded = f.around.tests and f.context.config.records_cuda_graphs
    context = Context(
        code.module.ir,
        code.node.qualname,
        code.module.linted,
        f.context.root,
        f.context.root_kind,
        f.context,
        call.pos,
        error_on_break.under_decorators(interp.program, code, f.context.config),
        doubted,
        code.place if doubted and interp.own is not None else "",
        optional_arguments.given(f) if recorded else f.context.given,
        f.context.root_kind == "unreached" and (usage.takes_tensors(code) or any(map(tensor_arm, call.args.all()))),
    )
    inner = interp.frame_class(
        interp, code.module, context, State({}), code, call.closure, code.owner, f.depth + 1, f.modes.for_call
    )
    cap = f.around.cap
    call.most = cap if code.owner is None else class_decorators.lowered(interp, code.owner, cap)
    inner.around.cap = inner.floor = weakest(call.most, f.floor)
    if inner.around.cap == Confidence.LIKELY and (f.modes.silent or not code.module.linted):
        inner.around.cap = (
            Confidence.CERTAIN
        )  # a run serves both: it asks only whether more than possible may be claimed
    # In what is not judged nothing is made of a handler.
    inner.caught = not f.modes.silent and (f.caught or "try" in f.around.blocks)
    if code.module.linted and not (f.modes.silent or f.context.linted):
        f.effects.calls_back = True
    inner.effects.wrote_dict = f.effects.wrote_dict
    if f.modes.host:
        inner.cold = 0 if id(code.node) in interp.hosts.leading else f.cold + 1
    if not f.modes.silent and f.function is not code:
        interp.called.add(id(code.node))
    return inner


def _bound(call: FunctionCall, inner: Frame) -> dict[str, Value]:
    """The parameters of the function with what the call gives them, and what goes with it on `self`."""
    f, code, receiver = call.frame, call.code, call.ref.receiver
    # What a script calls is known to the number: a few calls are followed as they are, the rest as one of their kind.
    exact = f.context.root_kind == "explicit" and f.interp.contexts.get(id(code.node), 0) < MAX_EXACT_CONTEXTS
    names = bind(inner, code, _constructed(inner, code, receiver), call.args, exact and not f.modes.host)
    for name, value in names.items():
        if value.__class__ not in PLAIN:
            names[name] = unsized(value)
    if f.effects.writes or f.carried:
        names |= carried(f, inner, code, receiver)
    return names


def _summary_of(call: FunctionCall, inner: Frame) -> Summary | None:
    """What the call comes to, by a summary of calls like it or by running the body; None where that costs too much."""
    code, ref, interp = call.code, call.ref, inner.interp
    names = _bound(call, inner)
    key, summary = known(inner, key_of(inner, code, names))
    if summary is None and _shares(inner, code, ref, call.args, names):
        names = dict(interp.expected(inner, code, _generic_receiver(code, ref.receiver)))
        key, summary = known(inner, key_for_all(inner, code))
    elif summary is None:
        interp.contexts[_counted(inner, code)] = interp.contexts.get(_counted(inner, code), 0) + 1
    if summary is not None:
        summary.used = True
        return summary
    return summarize(inner, code, names, key) if interp.afford(code) else None


def _leave(call: FunctionCall, summary: Summary) -> Value:
    """The result of a call, once its effects and events are the caller's."""
    f, ref, pos = call.frame, call.ref, call.pos
    if f.interp.recorder is not None:
        f.interp.recorder.uses(f, summary)
    f.called[id(summary)] = summary
    is_body = f.modes.enters_operator or f.modes.enters_body
    f.trace.called(summary, pos, f.unsplit_by, is_body=is_body)
    _after(f, call.code, ref, summary, pos, call.most)
    if summary.always_broke:
        lazy_iterators.handed_on(f, call.args, pos, lambda given: inline(f, ref, given, pos))
    if summary.settled and summary.result is BOTTOM and not f.modes.host:
        f.doomed = True
        return UNKNOWN
    result = summary.result
    if isinstance(result, Sequence) and result.kind == "generator":  # each call makes one of its own
        result = Sequence(result.kind, result.items, result.element)
    return leaving_region.manager(f, call.code, result)


def _evaluated(f: Frame, ref: FunctionRef, args: Args, pos: int) -> Value:
    """What a function gives that Dynamo does not enter."""
    code = ref.code
    if not isinstance(code, FunctionInfo):
        return UNKNOWN
    context = Context(code.module.ir, code.node.qualname, False, f.context.root, f.context.root_kind)
    closure = ref.closure if isinstance(ref.closure, Frame) else None
    inner = Frame(f.interp, code.module, context, State({}), code, closure, code.owner, f.depth + 1, modes=SILENT)
    names = bind(inner, code, ref.receiver, args)
    if not f.interp.afford(code):
        return UNKNOWN
    summary = summarize(inner, code, names, key_of(inner, code, names))
    if f.interp.recorder is not None:
        f.interp.recorder.uses(f, summary)
    return summary.result


def _shares(inner: Frame, code: FunctionInfo, ref: FunctionRef, args: Args, names: dict[str, Value]) -> bool:
    """Whether a call goes by the one summary that a function has for all callers.

    A function beyond the part of the project at work has few summaries of its own for a part: for calls that give it
    something of ours to call (a function, an object of a class that may override), and for those that pass a tensor
    where it expects none, or none where it expects one.
    """
    interp = inner.interp
    if interp.reworking and class_decorators.is_given(interp, args):
        return False
    count = interp.contexts.get(_counted(inner, code), 0)
    if inner.modes.host:
        return count >= MAX_HOST_CONTEXTS
    own = interp.own
    if code.decorated("property", "cached_property"):
        return count >= MAX_PROPERTY_CONTEXTS
    if _chooses(code, args):
        return count >= MAX_CHOOSER_CONTEXTS
    if own is None or code.module.ir.path in own:
        return count >= MAX_CONTEXTS
    if count >= MAX_FAR_CONTEXTS:
        return True
    receiver = ref.receiver
    cls = receiver.cls if isinstance(receiver, Object) else None
    if inner.closure is not None or (isinstance(cls, ClassInfo) and cls.module.ir.path in own):
        return False
    if any(isinstance(arm, FunctionRef) for value in args.all() for arm in arms(value)):
        return False
    expected = interp.expected(inner, code, _generic_receiver(code, receiver))
    return all(map(_agree, names.values(), expected.values()))


def _chooses(code: FunctionInfo, args: Args) -> bool:
    """Whether a call is of a small function that is given a function, as where one is looked up with a default."""
    if not any(isinstance(arm, FunctionRef) for value in args.all() for arm in arms(value)):
        return False
    return fact(code.node, _statements) <= SMALL


def _statements(node: ir.Function) -> int:
    """How many statements the body of a function has, those in its blocks among them."""
    return sum(1 for _ in statements(node.body))


def _counted(frame: Frame, code: FunctionInfo) -> int:
    """What the contexts of a function are counted under: those in hosts take nothing from those in regions."""
    return ~id(code.node) if frame.modes.host else id(code.node)


def _agree(passed: Value, promised: Value) -> bool:
    """Whether both are tensors or neither is, as far as anything is known of what is passed."""
    return isinstance(passed, Unknown) or (tensor_arm(passed) is None) == (tensor_arm(promised) is None)


def _constructed(inner: Frame, code: FunctionInfo, receiver: Value | None) -> Value | None:
    """The receiver of a call, where only values are looked up the same for all subclasses of a library's class: what
    its constructor stores hardly depends on which of them is made, and there are as many as there are models."""
    silently = inner.modes.silent and not code.module.linted and code.node.name in CONSTRUCTORS
    return _generic_receiver(code, receiver) if silently else receiver


def _generic_receiver(code: FunctionInfo, receiver: Value | None) -> Value | None:
    return Object(code.owner) if isinstance(receiver, Object) and code.owner is not None else receiver


def _after(f: Frame, code: FunctionInfo, ref: FunctionRef, summary: Summary, pos: int, most: Confidence) -> None:
    """What the call leaves behind in the caller; `most` is what may be claimed of it, the caller's floor aside."""
    if f.modes.host:
        f.interp.hosts.written = summary.writes
    f.interp.written = summary.writes
    guards.merge(f, summary.use)
    f.effects.left_changed |= summary.left_changed
    if summary.heeds and "try" not in f.around.blocks:
        f.effects.heeds = True
    f.effects.written_inputs |= summary.written_inputs
    f.effects.wrote_dict = summary.wrote_dict
    f.effects.stranded = f.effects.stranded or summary.stranded
    here = f.site(pos)
    if summary.broke:
        sure = summary.always_broke and f.around.cap > Confidence.POSSIBLE
        f.left(sure, splits=not code.node.is_generator)
        f.effects.split_by_calls += sure and not summary.escaped
    if summary.writes and isinstance(ref.receiver, Object) and f.state is not None:
        mine = f.state.names.get(f.self_name) if f.self_name else None
        if isinstance(mine, Object) and mine.cls is ref.receiver.cls:
            for name, value in summary.writes.items():
                old = f.effects.writes.get(name)
                f.effects.writes[name] = value if old is None else join(old, value)
                f.state.paths[f"{f.self_name}.{name}"] = value
        else:
            f.state.forget_attributes(summary.writes)
    if not f.context.linted:  # the innermost place counts: pass it on as it is
        f.effects.calls_back |= summary.calls_back
        for event in summary.escaped:
            f.emit(event if event.site.cap <= most else replace(event, site=replace(event.site, cap=most)))
        return
    for event in summary.escaped:
        site = Site(here.context, pos, here.blocks, weakest(most, event.site.cap), here.after_skip, event.site)
        site = replace(site, resumed=here.resumed)
        f.emit(replace(event, site=site))
