"""Storing: assignment targets, items, unpacking, containers that change."""

from __future__ import annotations

from typing import Literal

from compilelint import events
from compilelint.interp.core.args import Args
from compilelint.interp.core.frame import Frame
from compilelint.interp.core.markers import HELD
from compilelint.interp.core.perform import Operation, ask
from compilelint.interp.core.refusals import is_exception, refused
from compilelint.interp.core.state import State
from compilelint.interp.devices import capture, placement
from compilelint.interp.effects import (
    assigned_buffers,
    attribute_writes,
    container_writes,
    layer_settings,
    mapping_proxies,
    switched_state,
    training_mode,
)
from compilelint.interp.kinds import class_decorators, own_namespace
from compilelint.interp.kinds.drawn_numbers import as_tensor
from compilelint.interp.kinds.items import CONTAINERS, another, any_item, exact_items, index_read, iterate
from compilelint.interp.kinds.tensor_items import parts_of
from compilelint.interp.refusals import refused_objects
from compilelint.interp.regions import checkpoint_bodies, gradient_hooks, hook_handles, leaving_region, operator_bodies
from compilelint.interp.text import held_items, usage
from compilelint.model import Doubt
from compilelint.project.classes import ClassInfo, FunctionInfo
from compilelint.syntax import ir
from compilelint.syntax.walk import dotted_name
from compilelint.torchfacts import SyntaxForm
from compilelint.values import (
    BOTTOM,
    NONE,
    UNKNOWN,
    ClassRef,
    Const,
    External,
    Instance,
    Mapping,
    Object,
    OriginKind,
    Sequence,
    Source,
    Tensor,
    Union,
    Value,
    is_known_key,
    is_none,
    join,
    join_all,
    key_of,
    tensor_arm,
)


def assign(f: Frame, target: ir.Expr, value: Value, pos: int, how: str = "assign") -> None:
    """Bind a target to a value; emits state that outlives the frame."""
    if f.state is None:
        return
    if isinstance(target, ir.Name):
        function = f.function
        if function is not None and target.id not in function.node.local_names and not f.loops_own(target.id):
            _outer_write(f, target.id, value, pos, how)
        if value is UNKNOWN and function is not None and not f.modes.host and function.module.linted:
            value = _by_use(f, function, target.id, pos)
        f.state.bind(target.id, value)
    elif isinstance(target, ir.Attr):
        _assign_attribute(f, target, value, pos, how)
    elif isinstance(target, ir.Display):
        _unpack(f, target, value, pos)
    elif isinstance(target, ir.Star):
        assign(f, target.value, Sequence("list", None, iterate(f, value, target.pos)), pos)
    elif isinstance(target, ir.Index):
        store_item(f, target, value, pos)


def _by_use(f: Frame, function: FunctionInfo, name: str, pos: int) -> Value:
    """An item of something unknown, or the result of an unknown call: a tensor, if the body treats it as one."""
    how = usage.evidence_of_items(function).get(name) or usage.evidence_of_results(function).get(name)
    if how is None:
        return UNKNOWN
    held_by = held_items.holder_of_name(function, name) if f.context.caller is None else ""
    holder = f.origin(f"`{held_by}`", function.node.head, kind=OriginKind.ARGUMENT) if held_by else None
    origin = f.origin(f"`{name}`: {how}", pos, holder)
    return Tensor("", None, Source.INPUT, confidence=Doubt.USED_LIKE_A_TENSOR.cap, origin=origin)


def _outer_write(f: Frame, name: str, value: Value, pos: int, how: str) -> None:
    frame = f.closure
    if f.modes.host:
        f.interp.hosts.store(f.module, name, value)
    while frame is not None:
        state = frame.state or frame.kept
        if state is not None and name in state.names:
            f.emit(events.Mutation(f.site(pos), None, "nonlocal", name, how, value))
            checkpoint_bodies.variable_written(f, frame, pos)
            if not attribute_writes.within_call(frame):
                attribute_writes.wrote_outer(f, name, value, pos, how, "closure", state.names[name])
            state.names[name] = join(state.names[name], value)
            if f.interp.recorder is not None:
                f.interp.recorder.sets(frame)
            return
        frame = frame.closure
    f.emit(events.Mutation(f.site(pos), None, "global", name, how, value))
    leaving_region.kept(f, (value,))
    gradient_hooks.stored(f, value, pos, "global")
    checkpoint_bodies.variable_written(f, None, pos)
    attribute_writes.wrote_outer(f, name, value, pos, how, "global", attribute_writes.at_import(f, name))


def _attribute_by_use(f: Frame, owner: ClassInfo, name: str, pos: int) -> Value:
    """An attribute of `self` that is bound to something unknown: a tensor, if methods of the class treat it as one."""
    how = usage.evidence_of_attributes(owner).get(name) if owner.module.linted else None
    if how is None:
        return UNKNOWN
    origin = f.origin(f"`self.{name}`: {how}", pos)
    return Tensor("", None, Source.INPUT, confidence=Doubt.USED_LIKE_A_TENSOR.cap, origin=origin)


def _assign_attribute(f: Frame, target: ir.Attr, value: Value, pos: int, how: str) -> None:
    owner = f.eval(target.value)
    if value is UNKNOWN and f.owner is not None and not f.modes.host and dotted_name(target.value) == f.self_name:
        value = _attribute_by_use(f, f.owner, target.name, pos)
    hook_handles.used(f, value, "attribute = handle of a hook", target.pos)
    if not (isinstance(owner, (Object, Instance)) and owner.inside):
        leaving_region.kept(f, (value,))
    gradient_hooks.stored(f, value, target.pos, "attribute")
    if target.name == "__class__" and isinstance(owner, Object):
        refused(f, "GB4271", ".__class__ = ...", (owner,), target.pos)
    tensor = _tensor_to_set(f, target, owner, pos)
    if tensor is not None:
        _set_on_tensor(f, target, tensor, value)
    elif isinstance(owner, (Object, Union)):
        f.emit(events.Mutation(f.site(target.pos), None, "self", target.name, how, value, owner))
        checkpoint_bodies.attribute_written(f, target, owner, value, target.pos)
        assigned_buffers.assigned(f, owner, value, target.pos)
    elif isinstance(owner, ClassRef):
        _set_on_class(f, target, owner, value, how)
    elif isinstance(owner, Instance) and is_exception(owner) and not target.name.startswith("__"):
        refused(f, "GB0135", f"exception.{target.name} = ...", (owner,), target.pos)
    elif isinstance(owner, (External, Instance)):
        _set_on_library(f, target, owner, value)
    if f.state is not None:
        _keep_attribute(f, f.state, target, owner, value, how)


def _tensor_to_set(f: Frame, target: ir.Attr, owner: Value, pos: int) -> Tensor | None:
    """The tensor whose attribute is set; what is unknown is one where `requires_grad` is, which nothing else has."""
    if owner is not UNKNOWN or target.name != "requires_grad":
        return tensor_arm(owner)
    name = dotted_name(target.value)
    origin = f.origin(f"`{name}`" if name else "only tensors have a `.requires_grad` to set", pos)
    return Tensor("", None, Source.INPUT, confidence=Doubt.USED_LIKE_A_TENSOR.cap, origin=origin)


def _set_on_tensor(f: Frame, target: ir.Attr, tensor: Tensor, value: Value) -> None:
    outcome = f.interp.facts.attribute(f"torch.Tensor.{target.name}", write=True)
    if target.name == "data" and tensor.source >= Source.LITERAL:
        outcome = f.interp.facts.syntax(SyntaxForm.INTERMEDIATE_DATA) or outcome
    elif target.name == "data":
        outcome = ask(f, Operation.SET_ATTRIBUTE, "data", (tensor, value), target.pos) or outcome
    f.emit(events.Attribute(f.site(target.pos), outcome, f"torch.Tensor.{target.name}", tensor, True, value))
    f.broken_by(outcome, tensor.confidence)


def _set_on_class(f: Frame, target: ir.Attr, owner: ClassRef, value: Value, how: str) -> None:
    inside = f.owner is not None and f.owner.is_autograd_function
    outcome = f.interp.facts.syntax(SyntaxForm.FUNCTION_SAME_TENSOR_TWICE) if inside else None
    class_decorators.stored(f, owner, target.name, value)
    f.emit(events.Mutation(f.site(target.pos), outcome, "class", target.name, how, value, owner))
    f.broken_by(outcome)


def _set_on_library(f: Frame, target: ir.Attr, owner: External | Instance, value: Value) -> None:
    name = f"{owner.name}.{target.name}"
    switched_state.written(f, name, value, target.pos)
    if isinstance(owner, Instance):
        layer_settings.written(f, target, owner, value, target.pos)
    outcome = f.interp.facts.attribute(name, write=True)
    outcome = outcome or ask(f, Operation.SET_ATTRIBUTE, target.name, (owner, value), target.pos)
    f.emit(events.Attribute(f.site(target.pos), outcome, name, owner, True, value))
    f.broken_by(outcome)
    assigned_buffers.assigned(f, owner, value, target.pos)


def _keep_attribute(f: Frame, state: State, target: ir.Attr, owner: Value, value: Value, how: str) -> None:
    """What the rest of the frame, and the object itself, know of an attribute that was set."""
    key = dotted_name(target)
    attribute_writes.wrote(f, target, owner, value, target.pos, how)
    if target.name == "training":
        training_mode.switched(f, target.value, value, target.pos)
    if key:
        state.paths[key] = value
        state.forget(key)
    own = isinstance(target.value, ir.Name) and target.value.id == f.self_name
    if f.modes.host and isinstance(target.value, ir.Name) and isinstance(owner, Object) and not own:
        rebind(f, target.value, held_with(owner, target.name, value))
    if target.name == "__dict__":
        refused_objects.replaced(f, owner, key, f.around.rhs)
    if f.effects.handed is not None and not own:
        f.effects.handed.append((owner, target.name, value))
    if own:
        old = f.effects.writes.get(target.name)
        f.effects.writes[target.name] = value if old is None else join(old, value)


def held_with(owner: Object, name: str, value: Value) -> Object:
    """An object in whose attribute a host has stored something."""
    fields = tuple([(one, old) for one, old in owner.fields if one != name])
    held = {**dict(owner.held), name: value}
    return Object(owner.cls, fields, owner.inside, tuple(sorted(held.items(), key=lambda one: one[0])))


def _unpack(f: Frame, target: ir.Display, value: Value, pos: int) -> None:
    items = target.items
    if isinstance(value, Union):
        value = _unpacked_arms(f, value, len(items))
    stars = [i for i, item in enumerate(items) if isinstance(item, ir.Star)]
    exact = exact_items(f, value)
    if exact is not None and not stars and len(exact) == len(items):
        for item, part in zip(items, exact, strict=True):
            assign(f, item, part, pos)
        return
    if exact is not None and not stars:
        for item in items:  # an annotation or a branch of another length: nothing is known of the items
            assign(f, item, UNKNOWN, pos)
        return
    if exact is not None and len(exact) >= len(items) - 1:  # Python allows one star
        at, tail = stars[0], len(items) - stars[0] - 1
        middle = exact[at : len(exact) - tail]
        parts = [*exact[:at], Sequence("list", tuple(middle), BOTTOM), *exact[len(exact) - tail :]]
        for item, part in zip(items, parts, strict=True):
            assign(f, item.value if isinstance(item, ir.Star) else item, part, pos)
        return
    element = iterate(f, value, pos)
    for item in items:
        if isinstance(item, ir.Star):
            assign(f, item.value, Sequence("list", None, element), pos)
        else:
            assign(f, item, another(element), pos)


def _unpacked_arms(f: Frame, value: Union, length: int) -> Value:
    """A union of tuples of the wanted length as one tuple; None cannot be unpacked, so it is out."""
    kept = [a for a in value.arms if not is_none(a)]
    exact = [exact_items(f, a) for a in kept]
    rows = [e for e in exact if e is not None and len(e) == length]
    if kept and len(rows) == len(kept):
        return Sequence("tuple", tuple([join_all(column) for column in zip(*rows, strict=True)]), BOTTOM)
    return join_all(kept)


def store_item(f: Frame, target: ir.Index, value: Value, pos: int) -> None:
    """`container[index] = value`: mask stores trace, slices bounded by tensor data do not."""
    owner = f.eval(target.value)
    index = f.eval(target.index)
    if f.state is None:
        return
    tensor = tensor_arm(owner)
    if tensor is not None:
        _store_in_tensor(f, target, tensor, index, value, pos)
        return
    capture.item_rebound(f, target, value)
    key = dotted_name(target.value)
    updated = _with_item(f, target, owner, index, value)
    if updated is not None and key and f.state is not None:
        rebind(f, target.value, updated)
    namespace = isinstance(target.value, ir.Attr) and target.value.name == "__dict__"
    if f.modes.host and namespace and isinstance(target.value, ir.Attr) and isinstance(index, Const):
        _stored_in_namespace(f, target.value.value, index.value, value)
    checkpoint_bodies.container_changed(f, target.value, owner, target.pos)
    outer = outer_container(f, target.value)
    mapping_proxies.written(f, owner, bool(outer))
    if outer:
        f.emit(events.Mutation(f.site(target.pos), None, outer, key, "item", value))
    how = "augmented" if isinstance(f.around.rhs, ir.AugAssign) else "item"
    if not own_namespace.stored(f, target, value, how):
        container_writes.contained(f, target.value, how, value, target.pos, index)
    if isinstance(owner, Object) and isinstance(owner.cls, ClassInfo) and owner.cls.method("__setitem__") is not None:
        f.interp.call_method(f, owner, "__setitem__", Args([index, value]), target.pos)


def _store_in_tensor(f: Frame, target: ir.Index, tensor: Tensor, index: Value, value: Value, pos: int) -> None:
    form = None
    for part in parts_of(index):
        bounds = part.items or () if isinstance(part, Sequence) and part.kind == "slice" else ()
        if any(as_tensor(f, bound, pos) for bound in bounds):
            form = SyntaxForm.SLICE_SCALAR
        inner = as_tensor(f, part, pos)
        if inner is not None and inner.dtype != "float" and inner.is_computed_scalar:
            form = SyntaxForm.INDEX_SCALAR  # an index or mask of no dimension is a number that must be read
    outcome = None if form is None else f.interp.facts.syntax(form)
    f.emit(events.Index(f.site(target.pos), outcome, tensor, index, True, "" if form is None else form.value))
    placement.written(f, tensor, "[...] =", target.pos)
    capture.stored(f, tensor, index, value, target)
    operator_bodies.written(f, tensor)
    f.broken_by(outcome, splits=form is not SyntaxForm.SLICE_SCALAR)


def _with_item(f: Frame, target: ir.Index, owner: Value, index: Value, value: Value) -> Value | None:
    """The container as it is with the item stored; None where it is not followed."""
    if isinstance(owner, Mapping):
        if is_known_key(index):
            key = key_of(index)
            entries = {**dict(owner.entries), key: value}
            maybe = tuple([(k, v) for k, v in owner.maybe if k != key])
            return Mapping(tuple(entries.items()), owner.element, owner.exact, maybe)
        return Mapping(owner.entries, join(owner.element, value), False, owner.maybe)
    if isinstance(owner, Sequence):
        index_read(f, owner, index, target.pos)
        return Sequence(owner.kind, None, join(any_item(owner) if owner.items != () else BOTTOM, value))
    if isinstance(owner, Instance) and owner.name in CONTAINERS:
        items = dict(owner.state).get(HELD)
        if not isinstance(items, Mapping):
            return None
        return Instance(owner.name, owner.inside, ((HELD, Mapping(items.entries, join_all([*items.rest, value]))),))
    if isinstance(owner, (External, Instance)):
        name = f"{owner.name}.__setitem__"
        outcome = f.interp.facts.callable(name)
        outcome = outcome or ask(f, Operation.SET_ITEM, "[]=", (owner, index, value), target.pos)
        f.emit(events.Call(f.site(target.pos), outcome, name, owner, (index, value), {}, NONE))
        f.broken_by(outcome)
    return None


def _stored_in_namespace(f: Frame, owner: ir.Expr, name: object, value: Value) -> None:
    """`self.__dict__["name"] = value` of a host."""
    if isinstance(owner, ir.Name) and owner.id == f.self_name and isinstance(name, str):
        f.effects.writes[name] = value


def rebind(f: Frame, expr: ir.Expr, value: Value) -> None:
    """A container reached by a name or a path has changed: give that name or path its new value."""
    key = dotted_name(expr)
    if not key or f.state is None:
        return
    if "." in key:
        f.state.paths[key] = value
        if not isinstance(expr, ir.Attr):
            return
        if isinstance(expr.value, ir.Name) and expr.value.id == f.self_name:
            f.effects.writes[expr.name] = join(f.effects.writes.get(expr.name) or BOTTOM, value)
        elif f.effects.handed is not None:
            f.effects.handed.append((f.eval(expr.value), expr.name, value))
    elif key in f.state.names:
        f.state.names[key] = value


def outer_container(f: Frame, expr: ir.Expr) -> Literal["self", "global", ""]:
    """Whether a container lives outside the call: `self`, `global` or ""."""
    if isinstance(expr, ir.Attr):
        root: ir.Expr = expr
        while isinstance(root, ir.Attr):
            root = root.value
        return "self" if isinstance(root, ir.Name) and root.id == f.self_name else ""
    if isinstance(expr, ir.Name) and f.function is not None and f.state is not None:
        return "global" if expr.id not in f.state.names and expr.id in f.module.bindings else ""
    return ""
