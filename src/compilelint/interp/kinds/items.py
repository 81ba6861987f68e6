"""Loading what a value holds: items, slices, iteration."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from compilelint import events
from compilelint.interp.core.args import Args
from compilelint.interp.core.frame import OUTSIDE, Frame
from compilelint.interp.core.markers import ALIAS, HELD, NAMESPACE
from compilelint.interp.core.perform import Operation, perform
from compilelint.interp.devices import capture
from compilelint.interp.kinds import jagged_tensors
from compilelint.interp.kinds.drawn_numbers import as_tensor
from compilelint.interp.refusals import object_kinds
from compilelint.model import Confidence, Doubt, weakest
from compilelint.model.sizes import ONE, Size, Sizes
from compilelint.project.classes import ClassInfo
from compilelint.syntax import ir
from compilelint.syntax.walk import dotted_name
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
    Layout,
    Mapping,
    Object,
    OriginKind,
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

_AN_ITEM = "an item"
_LONGEST_NAME = 40
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


def spelled_item(item: Value, n: ir.Index) -> Value:
    """An item of a tensor under the name that the source gives it, "`onehot[e]`", where that is short."""
    if not isinstance(item, Tensor) or item.origin is None or item.origin.what != _AN_ITEM:
        return item
    base, inside = dotted_name(n.value), dotted_name(n.index)
    if isinstance(n.index, ir.Const):
        inside = repr(n.index.value)
    name = f"{base}[{inside or '...'}]"
    return item.but(origin=replace(item.origin, what=f"`{name}`")) if base and len(name) <= _LONGEST_NAME else item


def load_item(f: Frame, value: Value, index: Value, pos: int) -> Value:
    """`value[index]`."""
    if isinstance(value, Compiled):
        return load_item(f, value.target, index, pos)
    if isinstance(value, Union):
        tensor = tensor_arm(value)
        return join_all(
            [
                load_item(f, tensor if isinstance(a, Tensor) and tensor else a, index, pos)
                for a in value.arms
                if a is not NONE
            ]
        )
    if isinstance(value, Tensor):
        guessed = value.source is Source.INPUT and value.confidence < Confidence.CERTAIN
        if isinstance(index, (Const, Scalar)) and type_name(index) == "str" and not guessed:
            # A tensor refuses names: our picture of the call is wrong. A mere guess is rather a dictionary of tensors.
            return UNKNOWN
        return _tensor_item(f, value, index, pos)
    if isinstance(value, Sequence):
        return _sequence_item(f, value, index, pos)
    if isinstance(value, Mapping):
        usual = usual_of(index)
        if usual is not None:
            found = value.get(usual.value)
            if found is not None:
                return found
        elif is_known_key(index):
            found = value.get(key_of(index))
            if found is not None:
                return found
        if isinstance(index, Const):
            return value.element if value.element is not BOTTOM else UNKNOWN
        default = _default_key(index)
        found = None if default is None else value.get(default.value)
        if found is not None:
            return join(found, UNKNOWN)
        return mixed_bag([value.element, *[v for _, v in value.entries]])
    if isinstance(value, (Const, Scalar)):
        return Scalar("str") if type_name(value) == "str" else UNKNOWN
    if isinstance(value, Object) and isinstance(value.cls, ClassInfo):
        return _object_item(f, value, index, pos)
    if isinstance(value, Instance) and value.name in (*CONTAINERS, "torch.nn.ParameterDict"):
        if value.name in _LISTS:
            index_read(f, Sequence("list", None, UNKNOWN), index, pos)
        return _container_item(value, index)
    if isinstance(value, External) and value.name.endswith(NAMESPACE):
        return _of_namespace(f, value.name.removesuffix(NAMESPACE), index)
    if isinstance(value, External) and f.modes.host and value.name in ALIASED:
        return Instance(ALIAS)
    if isinstance(value, (ClassRef, External)):
        return value  # Generic[T]
    parts = parts_of(index)
    if (isinstance(value, Unknown) and any(_is_mark(p) for p in parts)) or (
        isinstance(value, Unknown) and len(parts) > 1 and any(_is_slice(p) for p in parts)
    ):
        # Only tensors and arrays are indexed by `...`, `None` or several slices.
        believed = Tensor(
            "",
            None,
            Source.INPUT,
            confidence=Doubt.USED_LIKE_A_TENSOR.cap,
            origin=f.origin("indexed like a tensor", pos),
        )
        return _tensor_item(f, believed, index, pos)
    mask = next((t for t in (tensor_arm(p) for p in parts_of(index)) if t is not None and t.dtype == "bool"), None)
    if isinstance(value, Unknown) and mask is not None:
        # Only tensors take a mask as an index.
        believed = Tensor(
            "",
            None,
            Source.INPUT,
            confidence=Doubt.USED_LIKE_A_TENSOR.lower(mask.confidence),
            origin=f.origin("indexed by a mask", pos),
        )
        return _tensor_item(f, believed, index, pos)
    at = object_kinds.at_index(index)
    object_kinds.asked(f, value, at, f"{object_kinds.short(value)}[...]", pos)
    if isinstance(value, (Object, Instance, Unknown, Bottom, FunctionRef, BoundMethod, Partial)):
        return UNKNOWN
    return unhandled(value)


def _is_mark(part: Value) -> bool:
    return isinstance(part, Const) and (part.value is None or part.value is Ellipsis)


def _is_slice(part: Value) -> bool:
    return isinstance(part, Sequence) and part.kind == "slice"


def parts_of(index: Value) -> tuple[Value, ...]:
    """The parts of an index: `x[i, :, None]` has three."""
    if isinstance(index, Sequence) and index.kind == "tuple" and index.items is not None:
        return index.items
    return (index,)


def _default_key(index: Value) -> Const | None:
    """The key that stands where a caller gives none: `if method is None: method = "dopri5"`."""
    if not isinstance(index, Union):
        return None
    known = [arm for arm in index.arms if arm is not UNKNOWN]
    return known[0] if len(known) == 1 and isinstance(known[0], Const) and type(known[0].value) is str else None


def _tensor_item(f: Frame, value: Tensor, index: Value, pos: int) -> Value:
    """Three bits decide: bool or integer index, a 0-d one computed or not, and whether a bound of a slice is data."""
    parts = parts_of(index)
    capture.indexed(f, value, index, pos)
    form: SyntaxForm | None = None
    sure = value.confidence
    rank, known = value.rank, True
    strided = False
    for part in parts:
        inner = as_tensor(f, part, pos)
        if inner is not None:
            if inner.dtype == "bool":
                form = SyntaxForm.MASK_READ
                sure = weakest(sure, inner.confidence)
                known = False
            elif inner.rank == 0 and inner.source is Source.COMPUTED and inner.dtype in ("int", ""):
                form = form or SyntaxForm.INDEX_SCALAR
                sure = weakest(sure, inner.confidence if inner.dtype else Doubt.DTYPE_UNKNOWN.cap)
                rank = None if rank is None else rank - 1
            elif inner.rank == 0:
                rank = None if rank is None else rank - 1
            else:
                known = False
        elif isinstance(part, Sequence) and part.kind == "slice":
            strided = True
            bounds = [b for b in (as_tensor(f, b, pos) for b in part.items or ()) if b is not None]
            if bounds:
                form = form or SyntaxForm.SLICE_SCALAR
                sure = weakest(sure, *[b.confidence for b in bounds])
        elif isinstance(part, Const):
            if part.value is None:
                rank = None if rank is None else rank + 1
            elif part.value is Ellipsis:
                pass
            elif isinstance(part.value, bool):
                known = False
            elif isinstance(part.value, int):
                rank = None if rank is None else rank - 1
        elif isinstance(part, Scalar):
            if part.kind == "int":
                rank = None if rank is None else rank - 1
            else:
                known = False
        elif isinstance(part, Sequence):
            known = False  # a list of integers or booleans: advanced indexing
        else:
            known = False
    outcome = None if form is None else f.interp.facts.syntax(form)
    result = value.but(
        rank=max(rank, 0) if known and rank is not None else None,
        source=Source.COMPUTED,
        layout=_layout(value, parts) if strided else "",
        confidence=value.confidence,
        origin=f.origin(_AN_ITEM, pos, value.origin, OriginKind.ITEM),
        sizes=_sizes_at(value, parts) if known and rank is not None else None,
    )
    result = jagged_tensors.item(f, value, parts, result, pos)
    if form is None:
        f.trace.captures(pos)
    if form is not None:
        f.emit(events.Index(f.site(pos), outcome, value.but(confidence=sure), index, False, form.value))
        f.broken_by(outcome, sure, splits=form is not SyntaxForm.SLICE_SCALAR)
        if outcome is not None and f.context.config.breaks(outcome):
            return result.but(source=Source.INPUT)
    return result


def _layout(value: Tensor, parts: tuple[Value, ...]) -> Layout:
    """The layout of a part with a slice in it: rows in a row of a contiguous tensor are contiguous."""
    *before, last = parts
    rows = isinstance(last, Sequence) and last.kind == "slice" and (last.items or ())[2:] == (NONE,)
    if value.layout == "contiguous" and rows and all(type_name(p) == "int" for p in before):
        return "contiguous"
    return "strided"


def _sizes_at(value: Tensor, parts: tuple[Value, ...]) -> Sizes | None:
    """The sizes of an item: a slice leaves an unknown one, unless it is the whole; None where none is known."""
    if value.sizes is None:
        return None
    left = list(value.sizes)
    taken = sum([part is not NONE and not (isinstance(part, Const) and part.value is Ellipsis) for part in parts])
    found: list[Size | None] = []
    for part in parts:
        if part is NONE or (isinstance(part, Const) and part.value is None):
            found.append(ONE)
        elif isinstance(part, Const) and part.value is Ellipsis:
            count = len(left) - taken
            found, left = found + left[:count], left[count:]
        elif not left:
            return None
        else:
            size, taken = left.pop(0), taken - 1
            if isinstance(part, Sequence):
                whole = all(is_none(bound) for bound in part.items or (UNKNOWN,))
                found.append(size if whole else None)
    sizes = (*found, *left)
    return sizes if any(sizes) else None


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
        found = items.get(index.value) if isinstance(index, Const) else None
        return found or join_all([items.element, *[v for _, v in items.entries]])
    return UNKNOWN


def iterate(f: Frame, value: Value, pos: int) -> Value:
    """What one pass of `for item in value` gets."""
    if isinstance(value, Compiled):
        return iterate(f, value.target, pos)
    if isinstance(value, Union):
        tensor = tensor_arm(value)
        if any(_has_no_items(a) for a in value.arms):  # an empty one has no items to give
            return iterate(f, join_all([a for a in value.arms if not _has_no_items(a)]), pos)
        found = [
            iterate(f, tensor if isinstance(a, Tensor) and tensor else a, pos) for a in value.arms if a is not NONE
        ]
        return join_all(found)
    if isinstance(value, Tensor):
        rank = None if value.rank is None else max(value.rank - 1, 0)
        row = value.but(
            rank=rank,
            source=Source.COMPUTED,
            origin=f.origin("a row", pos, value.origin, OriginKind.ITEM),
            sizes=None if not value.sizes or not any(value.sizes[1:]) else value.sizes[1:],
        )
        return jagged_tensors.iterated(f, value, row, pos)
    if isinstance(value, Sequence):
        if value.kind == OUTSIDE:
            report_outside_iterator(f, pos)
        inside = any_item(value)
        return inside if inside is not BOTTOM else UNKNOWN
    if isinstance(value, Mapping):
        return join_all([value_of(k) for k, _ in value.entries] + ([] if value.exact else [Scalar("str")]))
    if isinstance(value, Instance):
        if value.name == "torch.nn.ModuleDict":
            return Scalar("str")
        items = dict(value.state).get(HELD)
        perform(f, Operation.ITERATE, "for", (value,), pos)
        return any_item(items) if isinstance(items, Sequence) else UNKNOWN
    if isinstance(value, Object) and isinstance(value.cls, ClassInfo):
        if value.cls.method("__iter__") is not None:
            made = f.unsplit(lambda: f.interp.call_method(f, value, "__iter__", Args([]), pos))
            return iterate(f, made, pos) if not isinstance(made, Object) else UNKNOWN
        if value.fields:
            return (
                Scalar("str")
                if not value.cls.descends_from("typing.NamedTuple")
                else join_all([v for _, v in value.fields])
            )
    if isinstance(value, (Const, Scalar)):
        return Scalar("str") if type_name(value) == "str" else UNKNOWN
    if isinstance(value, (Object, External, ClassRef, FunctionRef, BoundMethod, Partial, Unknown, Bottom)):
        return UNKNOWN
    return unhandled(value)


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
