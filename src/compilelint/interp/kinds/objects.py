"""Attributes: of tensors, library objects, modules, and above all of `self`.

What `self.x` holds is learnt from the class: its `__init__` (and the helpers it calls) is interpreted once, silently,
and every other method that stores `x` is asked too. Plain numbers and flags found that way are known by type only,
because a configuration or a caller may set them to something else.
"""

from __future__ import annotations

from compilelint import events
from compilelint.interp.core.args import Args
from compilelint.interp.core.class_members import member_value
from compilelint.interp.core.frame import Frame
from compilelint.interp.core.markers import DISABLED, NAMESPACE
from compilelint.interp.core.perform import Operation, perform
from compilelint.interp.core.refusals import refused
from compilelint.interp.effects import state_slots as guards
from compilelint.interp.kinds import (
    class_decorators,
    distributions,
    enumerations,
    optimizers,
    recurrent_layers,
    special_methods,
    tensor_classes,
    tensors,
)
from compilelint.interp.kinds.class_attributes import owned_parameter, softened, stored_attribute, with_contents
from compilelint.interp.refusals import (
    caught_errors,
    refused_classes,
    refused_super,
)
from compilelint.interp.regions import hook_handles
from compilelint.project.classes import ClassInfo, FunctionInfo
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
    Member,
    Object,
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
# Whole numbers that layers of torch keep of their constructor's arguments, whatever class of ours adds to them.
LAYER_NUMBERS = frozenset(
    """
    in_features out_features in1_features in2_features num_embeddings embedding_dim in_channels out_channels groups
    num_features num_groups num_channels embed_dim kdim vdim num_heads head_dim input_size hidden_size num_layers
    proj_size num_parameters
    """.split()
)
_CACHED = ("cached_property",)
_PROPERTIES = ("property", "cached_property", "abstractproperty", "lazy_property", "getter")


def attribute(f: Frame, value: Value, name: str, pos: int) -> Value:
    """`value.name`."""
    if name == "tb_lasti":  # where in the bytecode a traceback stands
        return refused(f, "GB9625", ".tb_lasti", (value,), pos)
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
        guards.class_read(f, value.cls, name)
        return _class_attribute(f, value.cls, name, pos)
    if isinstance(value, Sequence) and value.items is not None and name in _RESULT_FIELDS and len(value.items) == 2:
        return value.items[_RESULT_FIELDS[name]]
    if isinstance(value, Const) and isinstance(value.value, Member):
        known = enumerations.attribute_of(value.value, name)
        return object_attribute(f, enumerations.as_object(value.value), name, pos) if known is None else known
    if isinstance(value, (Sequence, Mapping, Const, Scalar)):
        if isinstance(value, Mapping) and value.get(name) is not None and not hasattr(dict, name):
            return value.get(name) or UNKNOWN  # attribute-style dicts
        if isinstance(value, Sequence):
            perform(f, Operation.GET_ATTRIBUTE, name, (value,), pos)
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
    written = tensor_classes.member(f, value, name)
    if written is not None:
        return written
    known = tensors.attribute(f, value, name, pos)
    decided = perform(f, Operation.GET_ATTRIBUTE, name, (value,), pos)
    if decided is not None:
        return decided
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
    if value.name == DISABLED:
        return attribute(f, dict(value.state)["function"], name, pos)
    recurrent_layers.looked_at(f, value, name, pos)
    if value.name.startswith("torch.nn."):
        if name in _MODULE_FLAGS:
            return _MODULE_FLAGS[name]
        if name in _PARAMETERS or name.startswith(("weight", "bias")):
            return owned_parameter(f, name, pos)
        if name.startswith(
            ("in_", "out_", "num_", "embed", "kernel", "hidden", "eps", "dim", "normalized", "groups", "stride")
        ):
            return UNKNOWN
        if name[:1].isdigit():
            return UNKNOWN
    if value.name == "torch.autograd.function.FunctionCtx" and name in ("saved_tensors", "saved_variables"):
        return Sequence("tuple", None, Tensor(source=Source.INPUT, origin=f.origin("a saved tensor", pos)))
    if distributions.is_distribution(value):
        return distributions.attribute(f, name, pos) or BoundMethod(value, name)
    if value.name == "torch.finfo" or value.name == "torch.iinfo":
        return Scalar("float" if value.name == "torch.finfo" else "int")
    return perform(f, Operation.GET_ATTRIBUTE, name, (value,), pos) or BoundMethod(value, name)


def _class_attribute(f: Frame, cls: ClassInfo, name: str, pos: int) -> Value:
    decided = perform(f, Operation.GET_ATTRIBUTE, name, (ClassRef(cls),), pos)
    if decided is not None:
        return decided
    put = class_decorators.member(f.interp, cls, name)
    if put is not None:
        return put
    found = cls.find(name)
    if found is None:
        refused_classes.read(f, cls, name, None, pos)
        base = next(iter(cls.external_bases), None)
        if cls.is_autograd_function and name == "apply":
            return BoundMethod(ClassRef(cls), "apply")
        return UNKNOWN if base is None else BoundMethod(ClassRef(cls), name)
    owner, bindings = found
    value = enumerations.member(cls, name, member_value(f, owner, bindings, name))
    refused_classes.read(f, cls, name, value, pos)
    if isinstance(value, FunctionRef) and isinstance(value.code, FunctionInfo) and value.code.decorated("classmethod"):
        return FunctionRef(value.code, ClassRef(cls), value.closure)
    return value


def object_attribute(f: Frame, obj: Object, name: str, pos: int) -> Value:
    """An attribute of an instance: field, property or method, what its class stores, class member, library base."""
    for field, value in obj.fields:
        if field == name:
            return value
    cls = obj.cls
    if not isinstance(cls, ClassInfo) or perform(f, Operation.GET_ATTRIBUTE, name, (obj,), pos) is not None:
        return UNKNOWN
    for attribute_name, value in obj.held:
        if attribute_name == name:
            guards.read(f, obj, name, pos)
            return value if f.modes.host else uncompiled(value)
    put = class_decorators.member(f.interp, cls, name)
    if put is not None:
        return class_decorators.bound(put, obj)
    found = cls.find(name)
    method = None
    if found is not None:
        method = found[0].own(name)
        if method is not None:
            return _method_or_property(f, obj, found[0], method, pos)
    stored = stored_attribute(f, cls, name)
    if stored is not None:
        guards.read(f, obj, name, pos)
        return stored if f.modes.host else uncompiled(stored)
    if found is not None:
        member = softened(member_value(f, found[0], found[1], name))
        if is_none(member) is True:  # a field that is None by default holds what its annotation says
            return join_all([_annotated_member(f, cls, name, pos) or UNKNOWN, member])
        return member
    annotation = _annotated_member(f, cls, name, pos)
    if annotation is not None:
        return annotation
    if cls.is_module:
        if name in _MODULE_FLAGS:
            return _MODULE_FLAGS[name]
        if any(b.startswith("torch.nn.") and b != "torch.nn.Module" for b in cls.external_bases):
            if name in _PARAMETERS:
                return owned_parameter(f, name, pos)
            if name in LAYER_NUMBERS:
                return Scalar("int")
    of_optimizer = optimizers.inherited(f, cls, name, pos)
    if of_optimizer is not None:
        return of_optimizer if name != "state" else resumed(with_contents(f, cls, name, of_optimizer))
    if refused_classes.missing(f, obj, name, pos):
        return UNKNOWN
    asked = special_methods.missing(f, obj, name, pos) if name not in f.interp.facts.results.of_modules else None
    if asked is not None:
        return asked
    if cls.is_module and name not in f.interp.facts.results.of_modules:
        return UNKNOWN  # set by code that we cannot see
    if distributions.is_distribution(obj):
        return distributions.attribute(f, name, pos) or BoundMethod(obj, name)
    return BoundMethod(obj, name) if cls.external_bases else UNKNOWN


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
            again = f.modes.silent and f.interp.active.get(id(getter.node), 0) > 0
            value = f.unsplit(lambda: f.interp.call(f, found, Args([]), pos))
            # A constructor reads it while what the constructor stores there is asked for: anything may be there.
            return UNKNOWN if again and value is BOTTOM else value
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


# ------------------------------------------------------------- calls by name


def method(f: Frame, n: ir.Attr) -> Value:
    """The callee of `receiver.name(...)`."""
    value = n.value
    if isinstance(value, ir.Call) and isinstance(value.func, ir.Name) and value.func.id == "super":
        inherited = _super_method(f, n, called=True)
        caught_errors.parent_asked(f, n, inherited)
        return inherited
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


def _super_method(f: Frame, n: ir.Attr, called: bool) -> Value:
    if isinstance(n.value, ir.Call):
        refused_super.in_autograd_function(f, n.value, n.pos)
    owner = f.owner
    receiver = f.here.names.get(f.self_name) if f.self_name else None
    if owner is None or receiver is None:
        return UNKNOWN
    start = receiver.cls if isinstance(receiver, (Object, ClassRef)) and isinstance(receiver.cls, ClassInfo) else owner
    for c in start.after(owner):
        if isinstance(c, ClassInfo):
            put = class_decorators.own(f.interp, c, n.name)
            if put is not None:
                return class_decorators.bound(put, receiver)
            found = c.own(n.name)
            if found is not None:
                return FunctionRef(found, receiver, c.closure)
            if called and refused_super.called(f, owner, c, n.name, n.pos):
                return UNKNOWN
        else:
            return BoundMethod(receiver, n.name)
    return BoundMethod(receiver, n.name) if n.name in special_methods.STORING else UNKNOWN


def super_attribute(f: Frame, n: ir.Attr) -> Value:
    """`super().name` that is not called: Dynamo reads methods there, but no properties."""
    found = _super_method(f, n, called=False)
    caught_errors.parent_asked(f, n, found)
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
