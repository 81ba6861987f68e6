"""Attributes: of tensors, library objects, modules, and above all of `self`.

What `self.x` holds is learnt from the class: its `__init__` (and the helpers it calls) is interpreted once, silently,
and every other method that stores `x` is asked too. Plain numbers and flags found that way are known by type only,
because a configuration or a caller may set them to something else.
"""

from __future__ import annotations

from compilelint import events
from compilelint.events import Context
from compilelint.interp import hook_handles, special_methods
from compilelint.interp import kept_state as guards
from compilelint.interp.class_names import stored_by_name
from compilelint.interp.frame import Args, Frame
from compilelint.interp.items import NAMESPACE
from compilelint.interp.models import tensors
from compilelint.interp.state import State
from compilelint.project.classes import Binding, ClassInfo, FunctionInfo
from compilelint.syntax import ir
from compilelint.syntax.walk import dotted_name
from compilelint.torchfacts import SyntaxForm
from compilelint.torchfacts.arrays import leaves_graph
from compilelint.values import (
    BOTTOM,
    NONE,
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
    Origin,
    OriginKind,
    Partial,
    Scalar,
    Sequence,
    Source,
    Tensor,
    Union,
    Unknown,
    Value,
    is_none,
    join_all,
    resumed,
    tensor_arm,
    uncompiled,
    unhandled,
)

_MODULE_FLAGS = {"training": Scalar("bool")}
_PARAMETERS = {
    "weight": "float",
    "bias": "float",
    "in_proj_weight": "float",
    "running_mean": "float",
    "running_var": "float",
}
_RECURRENT = ("torch.nn.LSTM", "torch.nn.GRU", "torch.nn.RNN")
# What `torch.nn.Module` has besides what the program stores on it.
MODULE_METHODS = frozenset(
    """
    add_module apply bfloat16 buffers children compile cpu cuda double eval extra_repr float forward get_buffer
    get_extra_state get_parameter get_submodule half ipu load_state_dict modules mtia named_buffers named_children
    named_modules named_parameters parameters register_backward_hook register_buffer register_forward_hook
    register_forward_pre_hook register_full_backward_hook register_full_backward_pre_hook
    register_load_state_dict_post_hook register_load_state_dict_pre_hook register_module register_parameter
    register_state_dict_post_hook register_state_dict_pre_hook requires_grad_ set_extra_state set_submodule share_memory
    state_dict to to_empty train type xpu zero_grad __init__ __call__ __getattr__ __setattr__ _load_from_state_dict
    _register_state_dict_hook _apply _call_impl append extend insert items keys values pop update flatten_parameters
    """.split()
)
_CACHED = ("cached_property",)
_PROPERTIES = ("property", "cached_property", "abstractproperty", "lazy_property", "getter")


def attribute(f: Frame, value: Value, name: str, pos: int) -> Value:
    """`value.name`."""
    if isinstance(value, Compiled):
        return value.target if name == "_orig_mod" else attribute(f, value.target, name, pos)
    if isinstance(value, Union):
        tensor = tensor_arm(value)
        found = [
            attribute(f, tensor if isinstance(a, Tensor) and tensor else a, name, pos)
            for a in value.arms
            if a is not NONE and not is_none(a)
        ]
        return join_all(found) if found else UNKNOWN
    if isinstance(value, Tensor):
        return _tensor_attribute(f, value, name, pos)
    if isinstance(value, Object):
        return object_attribute(f, value, name, pos)
    if isinstance(value, External):
        return _external_attribute(f, value, name, pos)
    if isinstance(value, Instance):
        return _instance_attribute(f, value, name, pos)
    if isinstance(value, ClassRef) and isinstance(value.cls, ClassInfo):
        return _class_attribute(f, value.cls, name)
    if isinstance(value, Sequence) and value.items is not None and name in _RESULT_FIELDS and len(value.items) == 2:
        return value.items[_RESULT_FIELDS[name]]
    if isinstance(value, (Sequence, Mapping, Const, Scalar)):
        if isinstance(value, Mapping) and value.get(name) is not None and not hasattr(dict, name):
            return value.get(name) or UNKNOWN  # attribute-style dicts
        return BoundMethod(value, name)
    if isinstance(value, Unknown):
        return BoundMethod(UNKNOWN, name) if name in _USEFUL else _SAID_BY_NAME.get(name, UNKNOWN)
    if isinstance(value, (Bottom, ClassRef, FunctionRef, BoundMethod, Partial)):
        return UNKNOWN
    return unhandled(value)


# Methods worth remembering on an unknown receiver: by them it is a tensor, or a module.
_USEFUL = hook_handles.REGISTERING | {"item"}

# Attributes that are called so on whatever has them: `mask.to(outputs.device)` keeps the type of the mask.
# Whose `shape` it is, tensor or array, its items are numbers, so that `shape[1]` is never taken for None.
_SAID_BY_NAME: dict[str, Value] = {
    "device": Instance("torch.device"),
    "dtype": Instance("torch.dtype"),
    "shape": Sequence("tuple", None, tensors.SHAPE_INT),
}


# Fields of the pairs that torch returns, by position.
_RESULT_FIELDS = {
    "values": 0,
    "indices": 1,
    "sign": 0,
    "logabsdet": 1,
    "Q": 0,
    "R": 1,
    "eigenvalues": 0,
    "eigenvectors": 1,
}


def _tensor_attribute(f: Frame, value: Tensor, name: str, pos: int) -> Value:
    known = tensors.attribute(f, value, name, pos)
    full = f"numpy.ndarray.{name}" if value.array else f"torch.Tensor.{name}"
    if known is None and not (value.array and leaves_graph(full)):
        return BoundMethod(value, name)
    outcome = f.interp.facts.attribute(full)
    if outcome is not None and (not value.array or outcome.breaks):
        f.emit(events.Attribute(f.site(pos), outcome, full, value, False))
        f.broken_by(outcome, value.confidence)
    return UNKNOWN if known is None else known


_CONSTANTS: dict[str, Value] = {
    "math.pi": Scalar("float"),
    "math.inf": Scalar("float"),
    "math.e": Scalar("float"),
    "torch.pi": Scalar("float"),
    "torch.inf": Scalar("float"),
    "numpy.pi": Scalar("float"),
    "numpy.inf": Scalar("float"),
    "typing.TYPE_CHECKING": Const(False),
    "torch.__version__": Scalar("str"),
    "sys.version_info": Sequence("tuple", None, Scalar("int")),
}


def constant(value: External) -> Value:
    """The value of a library constant, if it is one that steers analysis."""
    return _CONSTANTS.get(value.name, value)


def _external_attribute(f: Frame, value: External, name: str, pos: int) -> Value:
    full = f"{value.name}.{name}"
    known = _CONSTANTS.get(full)
    if known is not None:
        return known
    if full.endswith(NAMESPACE):
        return External(full)
    return f.interp.program.member(value.name, name)


def _instance_attribute(f: Frame, value: Instance, name: str, pos: int) -> Value:
    for key, held in value.state:
        if key == name:
            return held
    if value.name in _RECURRENT and not value.inside:
        outcome = f.interp.facts.layer(value.name)  # any look at one of these, not only calling it
        f.emit(events.Attribute(f.site(pos), outcome, f"{value.name}.{name}", value, False))
        f.broken_by(outcome)
    if value.name.startswith("torch.nn."):
        if name in _MODULE_FLAGS:
            return _MODULE_FLAGS[name]
        if name in _PARAMETERS or name.startswith(("weight", "bias")):
            return _owned_parameter(f, name, pos)
        if name.startswith(
            ("in_", "out_", "num_", "embed", "kernel", "hidden", "eps", "dim", "normalized", "groups", "stride")
        ):
            return UNKNOWN
        if name[:1].isdigit():
            return UNKNOWN
    if value.name == "torch.autograd.function.FunctionCtx" and name in ("saved_tensors", "saved_variables"):
        return Sequence("tuple", None, Tensor(source=Source.INPUT, origin=f.origin("a saved tensor", pos)))
    if value.name == "torch.finfo" or value.name == "torch.iinfo":
        return Scalar("float" if value.name == "torch.finfo" else "int")
    return BoundMethod(value, name)


def _class_attribute(f: Frame, cls: ClassInfo, name: str) -> Value:
    found = cls.find(name)
    if found is None:
        base = next(iter(cls.external_bases), None)
        if cls.is_autograd_function and name == "apply":
            return BoundMethod(ClassRef(cls), "apply")
        return UNKNOWN if base is None else BoundMethod(ClassRef(cls), name)
    owner, bindings = found
    value = _member_value(f, owner, bindings, name)
    if isinstance(value, FunctionRef) and isinstance(value.code, FunctionInfo) and value.code.decorated("classmethod"):
        return FunctionRef(value.code, ClassRef(cls), value.closure)
    return value


def _member_value(f: Frame, owner: ClassInfo, bindings: list[Binding], name: str) -> Value:
    found = [f.interp.program.bound(owner.module, b, name, owner) for b in bindings]
    if owner.closure is not None:
        found = [FunctionRef(v.code, v.receiver, owner.closure) if isinstance(v, FunctionRef) else v for v in found]
    return join_all(found) if found else UNKNOWN


def object_attribute(f: Frame, obj: Object, name: str, pos: int) -> Value:
    """An attribute of an instance: field, property or method, what its class stores, class member, library base."""
    for field, value in obj.fields:
        if field == name:
            return value
    cls = obj.cls
    if not isinstance(cls, ClassInfo):
        return UNKNOWN
    for attribute_name, value in obj.held:
        if attribute_name == name:
            guards.read(f, obj, name, pos)
            return value if f.host else uncompiled(value)
    found = cls.find(name)
    method = None
    if found is not None:
        method = found[0].own(name)
        if method is not None:
            return _method_or_property(f, obj, found[0], method, pos)
    stored = stored_attribute(f, cls, name)
    if stored is not None:
        guards.read(f, obj, name, pos)
        return stored if f.host else uncompiled(stored)
    if found is not None:
        member = softened(_member_value(f, found[0], found[1], name))
        if is_none(member) is True:  # a field that is None by default holds what its annotation says
            return join_all([_annotated_member(f, cls, name, pos) or UNKNOWN, member])
        return member
    annotation = _annotated_member(f, cls, name, pos)
    if annotation is not None:
        return annotation
    if cls.is_module:
        if name in _MODULE_FLAGS:
            return _MODULE_FLAGS[name]
        if (
            any(b.startswith("torch.nn.") and b != "torch.nn.Module" for b in cls.external_bases)
            and name in _PARAMETERS
        ):
            return _owned_parameter(f, name, pos)
    asked = special_methods.missing(f, obj, name, pos) if name not in MODULE_METHODS else None
    if asked is not None:
        return asked
    if cls.is_module and name not in MODULE_METHODS:
        return UNKNOWN  # set by code that we cannot see
    if cls.external_bases:
        return BoundMethod(obj, name)
    return UNKNOWN


def _method_or_property(f: Frame, obj: Object, owner: ClassInfo, method: FunctionInfo, pos: int) -> Value:
    decorators = method.node.decorators
    if decorators:
        if method.decorated(*_PROPERTIES) or any(
            isinstance(d, ir.Attr) and d.name in ("setter", "deleter", "getter") for d in decorators
        ):
            getter = _getter(owner, method)
            if method.decorated(*_CACHED):
                stored = stored_attribute(f, owner, method.node.name)
                if stored is not None:
                    return stored
                _first_read(f, method, pos)
            found = FunctionRef(getter, obj, owner.closure)
            return f.unsplit(lambda: f.interp.call(f, found, Args([]), pos))
        if method.decorated("staticmethod"):
            return FunctionRef(method, None, owner.closure)
        if method.decorated("classmethod"):
            return FunctionRef(method, ClassRef(obj.cls), owner.closure)
    return FunctionRef(method, obj, owner.closure)


def _first_read(f: Frame, method: FunctionInfo, pos: int) -> None:
    """The first read of a `functools.cached_property` takes a lock, up to Python 3.11."""
    if method.decorated("cached_property"):
        outcome = f.interp.facts.syntax(SyntaxForm.CACHED_PROPERTY_FIRST)
        f.emit(events.Syntax(f.site(pos), outcome, SyntaxForm.CACHED_PROPERTY_FIRST.value))
        f.broken_by(outcome)


def _getter(owner: ClassInfo, method: FunctionInfo) -> FunctionInfo:
    for b in owner.members[method.node.name]:
        if isinstance(b, ir.Function) and not any(
            isinstance(d, ir.Attr) and d.name in ("setter", "deleter") for d in b.decorators
        ):
            return owner.module.function(b, owner)
    return method


def _annotated_member(f: Frame, cls: ClassInfo, name: str, pos: int) -> Value | None:
    for c in cls.mro:
        if isinstance(c, ClassInfo) and name in c.annotations:
            value = f.interp.annotated(c.module, c.annotations[name], f.origin(f"annotation of `{name}`", pos))
            return None if value is UNKNOWN else value
    return None


def softened(value: Value) -> Value:
    """A number or flag found on a class: code elsewhere may have set another, so only its type is kept."""
    if isinstance(value, Const) and value.value is not None and type(value.value) in (bool, int, float, str):
        # Which entry of a table is meant, and which way a switch stands, follows from texts and flags.
        usual = value if type(value.value) in (bool, str) else None
        return Scalar(type(value.value).__name__, usual=usual)
    if isinstance(value, Union):
        return join_all([softened(a) for a in value.arms])
    return value


# ----------------------------------------------------------- what a class stores


def stored_attribute(f: Frame, cls: ClassInfo, name: str) -> Value | None:
    """What methods of the class store under an attribute of `self`; None if none does."""
    cache = f.interp.stored.setdefault(id(cls), {})
    if name in cache:
        return cache[name]
    cache[name] = None  # a method that reads what it stores: nothing is known yet
    found: list[Value] = []
    constructed = False
    for c in cls.mro:
        if not isinstance(c, ClassInfo):
            continue
        init = c.own("__init__") or c.own("__post_init__")
        if init is not None and not constructed:
            stores = method_stores(f, c, init)
            if name in stores:
                found.append(stored_by_name(f, cls, name) or stores[name])
                constructed = True
        for method in c.stored_in.get(name, ()):
            if method.node.name not in ("__init__", "__post_init__"):
                stores = method_stores(f, c, method)
                found.append(stores.get(name, UNKNOWN))
    if any(method.owner in cls.mro for method in f.interp.method_stack if method.owner is not None):
        del cache[name]  # a method of it is at work, a constructor perhaps: it has not stored everything yet
    if not found:
        return None
    # It crosses into the frame from outside, wherever it was computed.
    value = resumed(softened(join_all(found)))
    # Where another method stores it too, it may have been moved there.
    value = placed_outside(value, name, OriginKind.HELD, stays=constructed and len(found) == 1)
    if value is BOTTOM:
        value = UNKNOWN
    if name in cache:
        cache[name] = value
    return value


def _owned_parameter(f: Frame, name: str, pos: int) -> Tensor:
    origin = f.origin(f"parameter `{name}`", pos, kind=OriginKind.OWNED)
    return Tensor("float", None, Source.PARAMETER, origin=origin)


def placed_outside(value: Value, what: str, kind: OriginKind, stays: bool = True) -> Value:
    """Name what holds a tensor outside the region whose device is known, if it `stays` when the module is moved."""
    if isinstance(value, Tensor) and value.device and value.origin is not None:
        if not stays:
            return value.but(device="")
        return value.but(origin=Origin(what, value.origin.place, value.origin, kind))
    if isinstance(value, Union):
        return join_all([placed_outside(arm, what, kind, stays) for arm in value.arms])
    return value


def method_stores(f: Frame, cls: ClassInfo, method: FunctionInfo) -> dict[str, Value]:
    """What one method stores on `self`, by silent interpretation; once a method."""
    interp = f.interp
    known = interp.method_writes.get(id(method.node))
    if known is not None:
        return known
    interp.method_writes[id(method.node)] = {}
    if len(interp.method_stack) > 12:
        del interp.method_writes[id(method.node)]
        return {}
    interp.method_stack.append(method)
    try:
        context = Context(cls.module.ir, method.node.qualname, False, "", "class", config=f.context.config)
        closure = cls.closure if isinstance(cls.closure, Frame) else None
        inner = Frame(
            interp, cls.module, context, State({}), method, closure, cls, depth=interp.silent_depth, silent=True
        )
        inner.state = State(interp.parameters(inner, method, Object(cls)))
        inner.run(method.node.body)
        writes = inner.writes
        if method.node.name == "__init__":
            writes.update(_held_at_the_end(inner))
    finally:
        interp.method_stack.pop()
    interp.method_writes[id(method.node)] = writes
    return writes


def _held_at_the_end(frame: Frame) -> dict[str, Value]:
    """What attributes hold when a constructor is done, whatever they held on the way."""
    if frame.state is None:
        return {}
    prefix = f"{frame.self_name}."
    named = {path[len(prefix) :]: value for path, value in frame.state.paths.items() if path.startswith(prefix)}
    return {name: value for name, value in named.items() if name in frame.writes}


def initially(f: Frame, cls: ClassInfo, name: str) -> Value | None:
    """What an attribute holds when an object is made: by its constructor, else by its class; None if nothing is there.

    Unlike `stored_attribute`, a constant stays one: this is the value that the first call meets.
    """
    for c in cls.mro:
        if isinstance(c, ClassInfo):
            init = c.own("__init__") or c.own("__post_init__")
            if init is not None:
                stores = method_stores(f, c, init)
                if name in stores:
                    return stores[name]
    found = cls.find(name)
    if found is not None and found[0].own(name) is None:
        return _member_value(f, found[0], found[1][:1], name)
    return None


# ------------------------------------------------------------- calls by name


def method(f: Frame, n: ir.Attr) -> Value:
    """The callee of `receiver.name(...)`."""
    value = n.value
    if isinstance(value, ir.Call) and isinstance(value.func, ir.Name) and value.func.id == "super":
        return _super_method(f, n)
    if f.here.paths:
        key = dotted_name(n)
        known = f.here.paths.get(key) if key else None
        if known is not None:
            return known
    receiver = f.eval(value)
    if isinstance(receiver, Unknown):
        return BoundMethod(UNKNOWN, n.name)
    if isinstance(receiver, Union):
        tensor = tensor_arm(receiver)
        found: list[Value] = []
        for arm in receiver.arms:
            if is_none(arm):
                continue
            if isinstance(arm, Unknown):
                found.append(BoundMethod(UNKNOWN, n.name) if n.name in hook_handles.REGISTERING else UNKNOWN)
            else:
                found.append(attribute(f, tensor if isinstance(arm, Tensor) and tensor else arm, n.name, n.pos))
        return join_all(found) if found else UNKNOWN
    return attribute(f, receiver, n.name, n.pos)


def _super_method(f: Frame, n: ir.Attr) -> Value:
    owner = f.owner
    receiver = f.here.names.get(f.self_name) if f.self_name else None
    if owner is None or receiver is None:
        return UNKNOWN
    start = receiver.cls if isinstance(receiver, (Object, ClassRef)) and isinstance(receiver.cls, ClassInfo) else owner
    for c in start.after(owner):
        if isinstance(c, ClassInfo):
            found = c.own(n.name)
            if found is not None:
                return FunctionRef(found, receiver, c.closure)
        else:
            return BoundMethod(receiver, n.name)
    return UNKNOWN


def super_attribute(f: Frame, n: ir.Attr) -> Value:
    """`super().name` that is not called: Dynamo reads methods there, but no properties."""
    found = _super_method(f, n)
    if isinstance(found, FunctionRef) and isinstance(found.code, FunctionInfo) and found.code.decorated(*_PROPERTIES):
        outcome = f.interp.facts.syntax(SyntaxForm.SUPER_PROPERTY)
        f.emit(events.Syntax(f.site(n.pos), outcome, SyntaxForm.SUPER_PROPERTY.value))
        f.broken_by(outcome)
        return f.interp.call(f, found, Args([]), n.pos)
    return found


def peek(f: Frame, owner: Value, name: str) -> Value | None:
    """What narrowing may start from for `owner.name`; calls nothing."""
    if isinstance(owner, Object) and isinstance(owner.cls, ClassInfo):
        for field, value in owner.fields:
            if field == name:
                return value
        stored = stored_attribute(f, owner.cls, name)
        if stored is not None:
            return stored
        return UNKNOWN
    if isinstance(owner, (Unknown, Instance, Union)):
        return UNKNOWN
    return None
