"""Loading what a value holds: items, slices, iteration."""

from __future__ import annotations

from collections.abc import Iterable

from compilelint import events
from compilelint.interp.core.args import Args
from compilelint.interp.core.frame import OUTSIDE, Frame
from compilelint.interp.core.markers import ALIAS, HELD, NAMESPACE
from compilelint.interp.core.perform import Operation, perform
from compilelint.interp.kinds import jagged_tensors
from compilelint.interp.kinds.drawn_numbers import as_tensor
from compilelint.interp.kinds.tensor_items import believed_tensor, row_of, tensor_item
from compilelint.interp.refusals import object_kinds
from compilelint.model import Confidence, Doubt
from compilelint.project.classes import ClassInfo
from compilelint.torchfacts import SyntaxForm
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
    Partial,
    Scalar,
    Sequence,
    Source,
    Tensor,
    Union,
    Unknown,
    Value,
    arms,
    is_known_key,
    is_none,
    join,
    join_all,
    key_of,
    tensor_arm,
    type_name,
    unhandled,
    usual_of,
    value_of,
)

CONTAINERS = ("torch.nn.ModuleList", "torch.nn.Sequential", "torch.nn.ParameterList", "torch.nn.ModuleDict")


ALIASED = frozenset(f"builtins.{name}" for name in ("list", "dict", "tuple", "set", "frozenset", "type"))

_LISTS = ("torch.nn.ModuleList", "torch.nn.Sequential", "torch.nn.ParameterList")


def exact_items(f: Frame, value: Value) -> tuple[Value, ...] | None:
    """The items of a value of known length; None if the length is not known."""
    if isinstance(value, Sequence):
        return value.items
    if f.modes.host and isinstance(value, Instance):
        held = dict(value.state).get(HELD)
        return held.items if isinstance(held, Sequence) else None
    if isinstance(value, Object) and isinstance(value.cls, ClassInfo) and value.fields and value.cls.is_record:
        return tuple([v for _, v in value.fields if v is not NONE])
    return None


def _of_namespace(f: Frame, module: str, index: Value) -> Value:
    """A global of a module by its name, where that is known."""
    if isinstance(index, Const) and isinstance(index.value, str):
        return f.interp.program.member(module, index.value)
    return UNKNOWN


def load_item(f: Frame, value: Value, index: Value, pos: int) -> Value:
    """`value[index]`."""
    if isinstance(value, Compiled):
        return load_item(f, value.target, index, pos)
    if isinstance(value, Union):
        tensor = tensor_arm(value)
        held = [tensor if isinstance(a, Tensor) and tensor else a for a in value.arms if a is not NONE]
        return join_all([load_item(f, a, index, pos) for a in held])
    if isinstance(value, Tensor):
        guessed = value.source is Source.INPUT and value.confidence < Confidence.CERTAIN
        if isinstance(index, (Const, Scalar)) and type_name(index) == "str" and not guessed:
            # A tensor refuses names: our picture of the call is wrong. A mere guess is rather a dictionary of tensors.
            return UNKNOWN
        return tensor_item(f, value, index, pos)
    if isinstance(value, Sequence):
        return _sequence_item(f, value, index, pos)
    if isinstance(value, Mapping):
        return _mapping_item(value, index)
    if isinstance(value, (Const, Scalar)):
        return Scalar("str") if type_name(value) == "str" else UNKNOWN
    if isinstance(value, External):
        return _external_item(f, value, index)
    if isinstance(value, ClassRef):
        return value  # Generic[T]
    found = _known_item(f, value, index, pos)
    if found is not None:
        return found
    at = object_kinds.at_index(index)
    object_kinds.asked(f, value, at, f"{object_kinds.short(value)}[...]", pos)
    if isinstance(value, (Object, Instance, Unknown, Bottom, FunctionRef, BoundMethod, Partial)):
        return UNKNOWN
    return unhandled(value)


def _known_item(f: Frame, value: Value, index: Value, pos: int) -> Value | None:
    """An item of an object of the program, of a container of modules, or of what its index shows to be a tensor."""
    if isinstance(value, Object) and isinstance(value.cls, ClassInfo):
        return _object_item(f, value, index, pos)
    if isinstance(value, Instance) and value.name in (*CONTAINERS, "torch.nn.ParameterDict"):
        if value.name in _LISTS:
            index_read(f, Sequence("list", None, UNKNOWN), index, pos)
        return _container_item(value, index)
    believed = believed_tensor(f, index, pos) if isinstance(value, Unknown) else None
    return None if believed is None else tensor_item(f, believed, index, pos)


def _mapping_item(value: Mapping, index: Value) -> Value:
    usual = usual_of(index)
    found = None
    if usual is not None:
        found = value.held(usual.value)
    elif is_known_key(index):
        found = value.held(key_of(index))
    if found is not None:
        return found
    if isinstance(index, Const):  # what is known of the rest may be known of other names only
        return mixed_bag([value.element])
    default = _default_key(index)
    found = None if default is None else value.held(default.value)
    if found is not None:
        return join(found, UNKNOWN)
    others = (*value.entries, *value.maybe)
    if isinstance(index, (Tensor, Object)):  # a parameter, as in the state of an optimizer: under no text
        others = tuple([(k, v) for k, v in others if not isinstance(k, str)])
    return mixed_bag([value.element, *[v for _, v in others]])


def _external_item(f: Frame, value: External, index: Value) -> Value:
    if value.name.endswith(NAMESPACE):
        return _of_namespace(f, value.name.removesuffix(NAMESPACE), index)
    return Instance(ALIAS) if f.modes.host and value.name in ALIASED else value  # Generic[T]


def _default_key(index: Value) -> Const | None:
    """The key that stands where a caller gives none: `if method is None: method = "dopri5"`."""
    if not isinstance(index, Union):
        return None
    known = [arm for arm in index.arms if arm is not UNKNOWN]
    return known[0] if len(known) == 1 and isinstance(known[0], Const) and type(known[0].value) is str else None


def index_read(f: Frame, value: Sequence, index: Value, pos: int) -> bool:
    """Whether an index of a list, or a bound of a slice of one, is a tensor, whose number Dynamo must read."""
    inner = as_tensor(f, index, pos)
    form = SyntaxForm.RANGE_INDEX if value.kind == "range" else SyntaxForm.LIST_INDEX
    if inner is None and isinstance(index, Sequence) and index.kind == "slice":
        inner, form = (
            next((t for t in (as_tensor(f, i, pos) for i in index.items or ()) if t is not None), None),
            SyntaxForm.SLICE_SCALAR,
        )
    if inner is None:
        return False
    outcome = f.interp.facts.syntax(form)
    f.emit(events.Index(f.site(pos), outcome, inner, index, False, form.value))
    f.broken_by(outcome, inner.confidence, splits=form is not SyntaxForm.SLICE_SCALAR)
    return True


def _sequence_item(f: Frame, value: Sequence, index: Value, pos: int) -> Value:
    if index_read(f, value, index, pos):
        sliced = isinstance(index, Sequence)
        return Sequence(value.kind, None, any_item(value)) if sliced else any_item(value)
    if value.items is not None and isinstance(index, Const) and type(index.value) is int:
        return value.items[index.value] if -len(value.items) <= index.value < len(value.items) else UNKNOWN
    if isinstance(index, Sequence) and index.kind == "slice":
        bounds = index.items or ()
        if value.items is not None and all(
            isinstance(b, Const) and (b.value is None or type(b.value) is int) for b in bounds
        ):
            lower, upper, step = [b.value for b in bounds if isinstance(b, Const)]
            return Sequence(value.kind, value.items[slice(lower, upper, step or None)], BOTTOM)
        return Sequence(value.kind, None, any_item(value))
    return another(any_item(value))


def another(value: Value) -> Value:
    """One of several of which the same is known: two that are taken are not one tensor."""
    return value.but() if isinstance(value, Tensor) else value


def any_item(s: Sequence) -> Value:
    """Any one item of a sequence."""
    return mixed_bag((s.element,) if s.items is None else s.items)


def mixed_bag(values: Iterable[Value]) -> Value:
    """Any one of several values that stand side by side: that a tensor lies among other things proves little."""
    joined = join_all(values)
    if isinstance(joined, Union):
        others = [a for a in joined.arms if not isinstance(a, Tensor) and a is not NONE and not is_none(a)]
        if others and len(others) < len(joined.arms):
            return doubted(joined, Doubt.STANDS_AMONG_OTHERS)
    return UNKNOWN if joined is BOTTOM else joined


def doubted(value: Value, doubt: Doubt) -> Value:
    """The value, with a tensor in it only as sure as the doubt allows."""
    return join_all([a.but(confidence=doubt.lower(a.confidence)) if isinstance(a, Tensor) else a for a in arms(value)])


def _object_item(f: Frame, value: Object, index: Value, pos: int) -> Value:
    cls = value.cls
    assert isinstance(cls, ClassInfo)
    if cls.method("__getitem__") is not None and not value.fields:
        return f.interp.call_method(f, value, "__getitem__", Args([index]), pos)
    if value.fields:
        if isinstance(index, Const) and isinstance(index.value, str):
            return f.interp.attribute(f, value, index.value, pos)
        given = [v for _, v in value.fields if v is not NONE]
        if isinstance(index, Const) and type(index.value) is int:
            return given[index.value] if -len(given) <= index.value < len(given) else UNKNOWN
        if isinstance(index, Sequence) and index.kind == "slice":
            return Sequence("tuple", None, join_all(given))
        return join_all(given)
    if cls.is_record and isinstance(index, Const) and isinstance(index.value, str):
        return f.interp.attribute(f, value, index.value, pos)
    return UNKNOWN


def _container_item(value: Instance, index: Value) -> Value:
    state = dict(value.state)
    items = state.get(HELD)
    if isinstance(items, Sequence):
        if isinstance(index, Sequence) and index.kind == "slice":
            return Instance(value.name, value.inside, ((HELD, Sequence("list", None, any_item(items))),))
        if items.items is not None and isinstance(index, Const) and type(index.value) is int:
            return items.items[index.value] if -len(items.items) <= index.value < len(items.items) else UNKNOWN
        return any_item(items)
    if isinstance(items, Mapping):
        found = items.held(index.value) if isinstance(index, Const) else None
        return found or join_all([*items.rest, *[v for _, v in items.entries]])
    return UNKNOWN


def iterate(f: Frame, value: Value, pos: int) -> Value:
    """What one pass of `for item in value` gets."""
    if isinstance(value, Compiled):
        return iterate(f, value.target, pos)
    if isinstance(value, Union):
        return _iterate_one_of(f, value, pos)
    if isinstance(value, Tensor):
        return jagged_tensors.iterated(f, value, row_of(f, value, pos), pos)
    if isinstance(value, Sequence):
        if value.kind == OUTSIDE:
            report_outside_iterator(f, pos)
        inside = any_item(value)
        return inside if inside is not BOTTOM else UNKNOWN
    if isinstance(value, Mapping):
        known = [value_of(k) for k, _ in (*value.entries, *value.maybe)]
        return join_all(known + ([] if value.exact else [Scalar("str")]))
    if isinstance(value, Instance):
        if value.name == "torch.nn.ModuleDict":
            return Scalar("str")
        items = dict(value.state).get(HELD)
        perform(f, Operation.ITERATE, "for", (value,), pos)
        return any_item(items) if isinstance(items, Sequence) else UNKNOWN
    if isinstance(value, Object):
        return _iterate_object(f, value, pos)
    if isinstance(value, (Const, Scalar)):
        return Scalar("str") if type_name(value) == "str" else UNKNOWN
    if isinstance(value, (External, ClassRef, FunctionRef, BoundMethod, Partial, Unknown, Bottom)):
        return UNKNOWN
    return unhandled(value)


def _iterate_one_of(f: Frame, value: Union, pos: int) -> Value:
    tensor = tensor_arm(value)
    if any(_has_no_items(a) for a in value.arms):  # an empty one has no items to give
        return iterate(f, join_all([a for a in value.arms if not _has_no_items(a)]), pos)
    held = [tensor if isinstance(a, Tensor) and tensor else a for a in value.arms if a is not NONE]
    return join_all([iterate(f, a, pos) for a in held])


def _iterate_object(f: Frame, value: Object, pos: int) -> Value:
    cls = value.cls
    if not isinstance(cls, ClassInfo):
        return UNKNOWN
    if cls.method("__iter__") is not None:
        made = f.unsplit(lambda: f.interp.call_method(f, value, "__iter__", Args([]), pos))
        return iterate(f, made, pos) if not isinstance(made, Object) else UNKNOWN
    if value.fields:
        named = cls.descends_from("typing.NamedTuple")
        return join_all([v for _, v in value.fields]) if named else Scalar("str")
    return UNKNOWN


def report_outside_iterator(f: Frame, pos: int) -> None:
    """Dynamo can neither start nor advance an iterator that it did not see being made."""
    outcome = f.interp.facts.syntax(SyntaxForm.NEXT_OF_OUTSIDE)
    f.emit(events.Syntax(f.site(pos), outcome, SyntaxForm.NEXT_OF_OUTSIDE.value))
    f.broken_by(outcome)


def _has_no_items(value: Value) -> bool:
    if isinstance(value, Instance):
        items = dict(value.state).get(HELD)
        return isinstance(items, Sequence) and items.items == ()
    return isinstance(value, Sequence) and value.items == ()
