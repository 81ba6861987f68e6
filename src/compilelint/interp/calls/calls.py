"""Calls: who is called. Functions of the program are followed in `inlining`, library callables go to `library`."""

from __future__ import annotations

from compilelint.interp.calls import library, library_methods, untraced_calls
from compilelint.interp.calls.alternatives import call_one_of
from compilelint.interp.calls.inlining import inline
from compilelint.interp.core.args import Args
from compilelint.interp.core.frame import Frame
from compilelint.interp.core.perform import Operation, perform
from compilelint.interp.core.refusals import refused
from compilelint.interp.hosts import frameworks, host
from compilelint.interp.kinds import class_decorators
from compilelint.interp.kinds.class_attributes import softened
from compilelint.interp.models import control_flow
from compilelint.interp.text.unseen_callees import note_unknown
from compilelint.project.classes import CONSTRUCTORS, ClassInfo, FunctionInfo
from compilelint.syntax import ir
from compilelint.syntax.walk import last_name
from compilelint.values import (
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
    unhandled,
    unsized,
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
        if isinstance(callee, Unknown):
            note_unknown(f, node, pos)
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
    decided = perform(f, Operation.CALL, cls.node.name, (ClassRef(cls),), pos, None, args)
    if decided is not None:
        return decided
    _new_tensor(f, cls, args, pos)
    init = cls.method("__init__")
    if f.modes.host:
        by_framework = frameworks.class_constructed(f, cls, args, pos)
        if by_framework is not None:
            return by_framework
    if init is None:
        if cls.is_record:
            return Object(cls, _record_fields(f, cls, args), inside=f.modes.inside)
        if cls.descends_from("enum.Enum", "enum.IntEnum", "enum.StrEnum"):
            return Object(cls)
        return Object(cls, inside=f.modes.inside)
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


def _new_tensor(f: Frame, cls: ClassInfo, args: Args, pos: int) -> None:
    """The `__new__` of a subclass of tensors, which is traced before the constructor."""
    new = cls.method("__new__") if cls.descends_from("torch.Tensor") and not f.modes.silent else None
    if new is not None:
        owner = new.owner
        inline(f, FunctionRef(new, ClassRef(cls), None if owner is None else owner.closure), args, pos)


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
