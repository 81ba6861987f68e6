"""Calls: who is called, with what, and what comes back.

Functions of the program are inlined through summaries: one a function and abstract arguments, at most
`MAX_CONTEXTS` a function, then one for all callers. Where a large project is analysed in parts, functions beyond the
part have nearly always the one for all callers, so that they cost each part little. Library callables go to `library`.
"""

from __future__ import annotations

from dataclasses import replace

from compilelint.events import Context, Site
from compilelint.interp.calls import library, library_methods, untraced_calls
from compilelint.interp.calls.alternatives import call_one_of
from compilelint.interp.calls.identity_functions import given_back
from compilelint.interp.calls.self_state_passed_to_method import carried
from compilelint.interp.core.args import Args
from compilelint.interp.core.binding import bind
from compilelint.interp.core.compile_calls import Target
from compilelint.interp.core.frame import Frame
from compilelint.interp.core.modes import SILENT
from compilelint.interp.core.outcomes import finish
from compilelint.interp.core.refusals import refused
from compilelint.interp.core.state import State
from compilelint.interp.core.summaries import MAX_SILENT_FOREIGN, key_of, known, promised, steps_out, summarize
from compilelint.interp.core.summary import Summary
from compilelint.interp.effects import state_slots as guards
from compilelint.interp.hosts import frameworks, host
from compilelint.interp.kinds import class_decorators
from compilelint.interp.kinds.class_attributes import softened
from compilelint.interp.models import control_flow
from compilelint.interp.refusals import (
    argument_errors,
    caught_errors,
    refused_arguments,
    refused_classes,
    refused_objects,
)
from compilelint.interp.regions import compiled_inside, lazy_iterators, leaving_region
from compilelint.interp.text import optional_arguments, usage
from compilelint.model import Confidence, weakest
from compilelint.project.classes import CONSTRUCTORS, ClassInfo, FunctionInfo
from compilelint.survey.scopes import statements
from compilelint.syntax import ir
from compilelint.syntax.facts import fact
from compilelint.syntax.walk import last_name
from compilelint.values import (
    BOTTOM,
    PLAIN,
    UNKNOWN,
    Bottom,
    BoundMethod,
    ClassRef,
    Compiled,
    Const,
    External,
    FunctionRef,
    Instance,
    Mapping,
    Object,
    Partial,
    Scalar,
    Sequence,
    Tensor,
    Union,
    Unknown,
    Value,
    arms,
    join,
    serial_of,
    tensor_arm,
    unhandled,
    unsized,
)

MAX_CONTEXTS = 8
MAX_FAR_CONTEXTS = 2  # of a function that lies beyond the part of the project at work
MAX_PROPERTY_CONTEXTS = 64  # of a property, whose answer is its object's: a base class has one for all its subclasses
MAX_CHOOSER_CONTEXTS = 64  # of a small function that is given a function: its answer is the caller's own
MAX_HOST_CONTEXTS = 400  # of a function in hosts: a test suite hands each of its functions to one helper
MAX_EXACT_CONTEXTS = 3  # with numbers and sizes kept apart, where what is compiled is called in the text
MAX_DEPTH = 20  # calls in calls; beyond, a question whether we are compiling would go unanswered
_SMALL = 8  # statements of a function whose own answer for each caller costs little
_MOST_SETTLING = 3  # calls below a constructor that are followed for what it settles
# Function bodies run for one root: in libraries that are merely followed, and in all.
MAX_FOREIGN_BODIES = 1_500
MAX_BODIES = 20_000
MAX_HOST_BODIES = 300  # for one host

# Decorators under which Dynamo does not look: as compile roots and where they are called.
NOT_TRACED = frozenset(
    """
    disable allow_in_graph nonstrict_trace custom_op assume_constant_result triton_op register_fake register_kernel
    leaf_function
    """.split()
)


def call(f: Frame, callee: Value, args: Args, pos: int, node: ir.Call | None = None) -> Value:
    """Call a value."""
    if isinstance(callee, FunctionRef):
        return inline(f, callee, args, pos)
    if isinstance(callee, BoundMethod):
        return library_methods.call_method(f, callee, args, pos, node)
    if isinstance(callee, External):
        return library.call_external(f, callee.name, args, pos, node)
    if isinstance(callee, ClassRef):
        return instantiate(f, callee, args, pos)
    if isinstance(callee, Object):
        return call_object(f, callee, args, pos)
    if isinstance(callee, Instance):
        return library_methods.call_instance(f, callee, args, pos)
    if isinstance(callee, Partial):
        merged = Args(
            [*callee.args, *args.positional], {**dict(callee.keywords), **args.keywords}, args.star, args.double_star
        )
        return call(f, callee.function, merged, pos)
    if isinstance(callee, Compiled):
        return host.call_compiled(f, callee, args, pos, node)
    if isinstance(callee, Union):
        return call_one_of(f, callee, args, pos, node)
    if isinstance(callee, (Const, Scalar, Tensor, Sequence, Mapping, Unknown, Bottom)):
        if isinstance(callee, Const) and "try" in f.around.blocks:
            refused(f, "GB0147|constant called", f"{callee.value!r}()", (callee,), pos)
        escape(f, args, pos)
        return UNKNOWN
    return unhandled(callee)


def escape(f: Frame, args: Args, pos: int) -> None:
    """Functions handed to unknown code are called by it, with arguments unknown: enter lambdas and closures."""
    for value in args.all():
        for arm in arms(value):
            if isinstance(arm, FunctionRef) and arm.closure is not None and isinstance(arm.code, FunctionInfo):
                inline(f, arm, Args([], None, UNKNOWN, UNKNOWN), pos)


def call_method(f: Frame, obj: Object, name: str, args: Args, pos: int) -> Value:
    """`obj.name(*args)`."""
    return call(f, f.interp.attribute(f, obj, name, pos), args, pos)


def call_object(f: Frame, obj: Object, args: Args, pos: int) -> Value:
    """`obj(...)`: `forward` of a module, else `__call__`."""
    cls = obj.cls
    if not isinstance(cls, ClassInfo):
        return UNKNOWN
    if not f.modes.host and any(
        last_name(d) == "disable" for c in cls.mro if isinstance(c, ClassInfo) for d in c.node.decorators
    ):
        return untraced_calls.call_disabled(f, lambda: _called(f, obj, cls, args, pos), args, pos)
    if cls.descends_from(control_flow.OWN_OPERATOR) and not cls.descends_from(*control_flow.BASE_OPERATORS):
        result = control_flow.own_operator(f, cls.node.name, args, pos)
        # Behind the break Python calls a `__call__` of its own, which is a frame with the same break.
        return result if cls.method("__call__") is None else _called(f, obj, cls, args, pos)
    return _called(f, obj, cls, args, pos)


def _called(f: Frame, obj: Object, cls: ClassInfo, args: Args, pos: int) -> Value:
    name = "forward" if cls.is_module and cls.method("__call__") is None else "__call__"
    for stored, value in obj.held if name == "forward" else ():
        if stored == name:  # set on this very module
            return call(f, value, args, pos)
    put = class_decorators.member(f.interp, cls, name)
    if put is not None:
        return call(f, class_decorators.bound(put, obj), args, pos)
    found = cls.find(name)
    if found is None or found[0].own(name) is None:
        base = next((b for b in cls.external_bases if b.startswith("torch.nn.")), "")
        return (
            library_methods.call_instance(f, Instance(base), args, pos)
            if base and base != "torch.nn.Module"
            else UNKNOWN
        )
    method = found[0].own(name)
    assert method is not None
    return inline(f, FunctionRef(method, obj, found[0].closure), args, pos)


# --------------------------------------------------------------- instantiation


def instantiate(f: Frame, callee: ClassRef, args: Args, pos: int) -> Value:
    """`Class(...)`: records keep their arguments as fields; other constructors are traced code."""
    cls = callee.cls
    if not isinstance(cls, ClassInfo):
        return UNKNOWN
    if f.modes.silent and _is_kept(f):
        f.interp.held.add(id(cls))
    if cls.is_autograd_function:
        return UNKNOWN
    refused_classes.made(f, cls, pos)
    fact = refused_arguments.tensor_class_made(f, cls, args)
    if fact is not None:
        return finish(f, cls.node.name, ClassRef(cls), args, pos, fact, UNKNOWN)
    init = cls.method("__init__")
    if f.modes.host:
        by_framework = frameworks.class_constructed(f, cls, args, pos)
        if by_framework is not None:
            return by_framework
    if init is None:
        if cls.is_record:
            return Object(cls, _record_fields(f, cls, args), inside=not f.modes.silent)
        if cls.descends_from("enum.Enum", "enum.IntEnum", "enum.StrEnum"):
            return Object(cls)
        return Object(cls, inside=not f.modes.silent)
    if f.modes.host:
        if not host.constructs(f, init, args):
            return Object(cls)
    elif f.modes.silent or (cls.is_module and f.context.root_kind == "all" and f.context.caller is None):
        return Object(cls)  # a function that builds models is set-up code: it is not compiled
    made = Object(cls, inside=not f.modes.host)
    owner = init.owner
    put = class_decorators.member(f.interp, cls, "__init__")
    constructor = FunctionRef(init, made, None if owner is None else owner.closure)
    if isinstance(put, FunctionRef):
        constructor = FunctionRef(put.code, made, put.closure)
    if not f.modes.host:
        f.interp.written = {}
        inline(f, constructor, args, pos)
        return _as_made(f, made)
    with host.construction(f) as seen:
        inline(f, constructor, args, pos)
    return host.constructed(f, made, seen)


def _as_made(f: Frame, made: Object) -> Object:
    """An object made in the region, with what its constructor has stored: the others of its class may differ.

    Of attributes that other methods store too, nothing is kept, nor the numbers, which code elsewhere may set.
    """
    cls = made.cls
    if not isinstance(cls, ClassInfo) or cls.is_module:
        return made
    held = [(name, softened(unsized(value))) for name, value in f.interp.written.items() if not cls.stored_later(name)]
    return Object(cls, made.fields, made.inside, tuple(sorted(held, key=lambda one: one[0])))


def _is_kept(f: Frame) -> bool:
    """Whether what is made here outlives every call: at module level, or by the constructor of something that does."""
    if f.function is None:
        return True
    owner = f.function.owner
    kept = owner is not None and (owner.is_module or id(owner) in f.interp.held)
    return kept and f.function.node.name in CONSTRUCTORS


def _record_fields(f: Frame, cls: ClassInfo, args: Args) -> tuple[tuple[str, Value], ...]:
    fields: dict[str, Value] = {}
    for i, name in enumerate(cls.fields()):
        value = args.get(i, name)
        if value is None:
            found = cls.find(name)
            default = None if found is None else f.interp.program.bound(found[0].module, found[1][-1], name)
            value = UNKNOWN if args.star is not None or args.double_star is not None or default is None else default
        fields[name] = value
    return tuple(fields.items())


# -------------------------------------------------------------------- inlining


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


def inline(f: Frame, ref: FunctionRef, args: Args, pos: int) -> Value:
    """Call a function of the program."""
    code = ref.code
    interp = f.interp
    if not isinstance(code, FunctionInfo):
        return UNKNOWN
    if f.modes.host:
        by_decorator = host.calls_method(f, code)
        if by_decorator is not None and isinstance(by_decorator.call, Target):
            by_decorator.call.called(args)
        if not host.follows(f, code, ref.closure) or not code.module.linted or not interp.afford_host():
            return promised(f, code)
    elif not is_traced(code):
        return untraced_calls.call_untraced(f, code, args, pos, lambda: _evaluated(f, ref, args, pos))
    compiled_inside.by_decorator(f, code, pos)
    if argument_errors.met(f, code, ref.receiver, args, pos):
        return UNKNOWN
    refused_objects.entered(f, code, ref.receiver, args, pos)
    caught_errors.entered(f, ref.closure if isinstance(ref.closure, Frame) else None, code, pos)
    same = given_back(f, code, args)
    if same is not None:
        return same
    wrapper = interp.wrapper_of(f, ref, code)
    if wrapper is not None:
        receiver = [] if ref.receiver is None else [ref.receiver]
        return call(f, wrapper, Args([*receiver, *args.positional], args.keywords, args.star, args.double_star), pos)
    settling = interp.handed_fields.at_work and f.depth < interp.silent_depth + _MOST_SETTLING
    followed = code.module.linted or interp.reworking or settling
    if f.depth >= MAX_DEPTH or (not followed and steps_out(f) == MAX_SILENT_FOREIGN):
        return promised(f, code)
    closure = ref.closure if isinstance(ref.closure, Frame) else None
    # What some other root compiles anyway is not made doubtful by a doubtful caller.
    doubted = f.context.host_class and id(code.node) not in interp.trusted
    context = Context(
        code.module.ir,
        code.node.qualname,
        code.module.linted,
        f.context.root,
        f.context.root_kind,
        f.context,
        pos,
        f.context.config,
        doubted,
        code.place if doubted and interp.own is not None else "",
        optional_arguments.given(f) if f.around.tests and f.context.config.records_cuda_graphs else f.context.given,
        f.context.root_kind == "unreached" and usage.takes_tensors(code),
    )
    inner = interp.frame_class(
        interp, code.module, context, State({}), code, closure, code.owner, f.depth + 1, f.modes.for_call
    )
    most = f.around.cap if code.owner is None else class_decorators.lowered(interp, code.owner, f.around.cap)
    inner.around.cap = inner.floor = weakest(most, f.floor)
    if inner.around.cap == Confidence.LIKELY and (f.modes.silent or not code.module.linted):
        inner.around.cap = (
            Confidence.CERTAIN
        )  # a run serves both: it asks only whether more than possible may be claimed
    inner.caught = not f.modes.silent and (f.caught or "try" in f.around.blocks)  # else nothing is made of it
    if code.module.linted and not (f.modes.silent or f.context.linted):
        f.effects.calls_back = True
    inner.effects.wrote_dict = f.effects.wrote_dict
    if f.modes.host:
        inner.cold = 0 if id(code.node) in interp.hosts.leading else f.cold + 1
    if not f.modes.silent and f.function is not code:
        interp.called.add(id(code.node))
    # What a script calls is known to the number: a few calls are followed as they are, the rest as one of their kind.
    exact = f.context.root_kind == "explicit" and interp.contexts.get(id(code.node), 0) < MAX_EXACT_CONTEXTS
    names = bind(inner, code, _constructed(inner, code, ref.receiver), args, exact and not f.modes.host)
    for name, value in names.items():
        if value.__class__ not in PLAIN:
            names[name] = unsized(value)
    if f.effects.writes or f.carried:
        names |= carried(f, inner, code, ref.receiver)
    key = key_of(inner, code, names)
    key, summary = known(inner, key)
    if summary is None:
        if _shares(inner, code, ref, args, names):
            names = dict(interp.expected(inner, code, _generic_receiver(code, ref.receiver)))
            known_by = inner.modes, steps_out(inner), f.context.config, serial_of(closure), inner.around.cap
            key, summary = known(inner, (id(code.node), *known_by, inner.effects.wrote_dict, "any"))
        else:
            interp.contexts[_counted(inner, code)] = interp.contexts.get(_counted(inner, code), 0) + 1
    if summary is not None:
        summary.used = True
    elif interp.afford(code):
        summary = summarize(inner, code, names, key)
    else:
        return promised(f, code)
    if interp.recorder is not None:
        interp.recorder.uses(f, summary)
    f.called[id(summary)] = summary
    f.trace.called(summary, pos, f.around.blocks, is_body=f.modes.enters_operator or f.modes.enters_body)
    _after(f, code, ref, summary, pos, most)
    if summary.always_broke:
        lazy_iterators.handed_on(f, args, pos, lambda given: inline(f, ref, given, pos))
    if summary.settled and summary.result is BOTTOM and not f.modes.host:
        f.doomed = True
        return UNKNOWN
    result = summary.result
    if isinstance(result, Sequence) and result.kind == "generator":  # each call makes one of its own
        result = Sequence(result.kind, result.items, result.element)
    return leaving_region.manager(f, code, result)


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
    return fact(code.node, _statements) <= _SMALL


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
