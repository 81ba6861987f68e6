"""Storing and loading: assignment targets, items, iteration, unpacking."""

from __future__ import annotations

from collections.abc import Iterable

from compilelint import events
from compilelint.interp import contents, writes
from compilelint.interp.frame import OUTSIDE, Args, Frame
from compilelint.interp.models import placement
from compilelint.model import Confidence
from compilelint.program import ir
from compilelint.program.index import ClassInfo, dotted_name
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
    Scalar,
    Sequence,
    Source,
    Tensor,
    Union,
    Unknown,
    Value,
    join,
    join_all,
    tensor_arm,
)

HELD = "<items>"  # where the state of a container of modules keeps what it holds
_CONTAINERS = ("torch.nn.ModuleList", "torch.nn.Sequential", "torch.nn.ParameterList", "torch.nn.ModuleDict")


# ------------------------------------------------------------------ assignment


def assign(f: Frame, target: ir.Expr, value: Value, pos: int, how: str = "assign") -> None:
    """Bind a target to a value; tells of state that outlives the frame."""
    if f.state is None:
        return
    if isinstance(target, ir.Name):
        function = f.function
        if function is not None and target.id not in function.node.local_names and not f.loops_own(target.id):
            _outer_write(f, target.id, value, pos, how)
        f.state.bind(target.id, value)
    elif isinstance(target, ir.Attr):
        _assign_attribute(f, target, value, pos, how)
    elif isinstance(target, ir.Display):
        _unpack(f, target, value, pos)
    elif isinstance(target, ir.Star):
        assign(f, target.value, Sequence("list", None, iterate(f, value, target.pos)), pos)
    elif isinstance(target, ir.Index):
        store_item(f, target, value, pos)


def _outer_write(f: Frame, name: str, value: Value, pos: int, how: str) -> None:
    frame = f.closure
    while frame is not None:
        state = frame.state or frame.kept
        if state is not None and name in state.names:
            f.emit(events.Mutation(f.site(pos), None, "nonlocal", name, how, value))
            if not writes.within_call(frame):
                writes.wrote_outer(f, name, value, pos, how, "closure", state.names[name])
            state.names[name] = join(state.names[name], value)
            return
        frame = frame.closure
    f.emit(events.Mutation(f.site(pos), None, "global", name, how, value))
    writes.wrote_outer(f, name, value, pos, how, "global", writes.at_import(f, name))


def _assign_attribute(f: Frame, target: ir.Attr, value: Value, pos: int, how: str) -> None:
    owner = f.eval(target.value)
    key = dotted_name(target)
    tensor = tensor_arm(owner)
    if tensor is not None:
        outcome = f.interp.facts.attribute(f"torch.Tensor.{target.name}", write=True)
        f.emit(events.Attribute(f.site(target.pos), outcome, f"torch.Tensor.{target.name}", tensor, True, value))
        f.broken_by(outcome, tensor.confidence is Confidence.CERTAIN)
    elif isinstance(owner, (Object, Union)):
        f.emit(events.Mutation(f.site(target.pos), None, "self", target.name, how, value, owner))
        writes.buffer_assigned(f, owner, value, target.pos)
    elif isinstance(owner, ClassRef):
        inside = f.owner is not None and f.owner.is_autograd_function
        outcome = f.interp.facts.syntax(SyntaxForm.FUNCTION_SAME_TENSOR_TWICE) if inside else None
        f.emit(events.Mutation(f.site(target.pos), outcome, "class", target.name, how, value, owner))
        f.broken_by(outcome)
    elif isinstance(owner, (External, Instance)):
        name = f"{owner.name}.{target.name}"
        f.emit(
            events.Attribute(f.site(target.pos), f.interp.facts.attribute(name, write=True), name, owner, True, value)
        )
        writes.buffer_assigned(f, owner, value, target.pos)
    if f.state is None:
        return
    writes.wrote(f, target, owner, value, target.pos, how)
    if key:
        f.state.paths[key] = value
        f.state.forget(key)
    if isinstance(target.value, ir.Name) and target.value.id == f.self_name:
        old = f.writes.get(target.name)
        f.writes[target.name] = value if old is None else join(old, value)


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
    if exact is not None and len(stars) == 1 and len(exact) >= len(items) - 1:
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
            assign(f, item, element, pos)


def _unpacked_arms(f: Frame, value: Union, length: int) -> Value:
    """A union of tuples of the wanted length as one tuple; None cannot be unpacked, so it is out."""
    kept = [a for a in value.arms if not _is_none(a)]
    exact = [exact_items(f, a) for a in kept]
    rows = [e for e in exact if e is not None and len(e) == length]
    if kept and len(rows) == len(kept):
        return Sequence("tuple", tuple([join_all(column) for column in zip(*rows, strict=True)]), BOTTOM)
    return join_all(kept)


def exact_items(f: Frame, value: Value) -> tuple[Value, ...] | None:
    """The items of a value of known length; None if the length is not known."""
    if isinstance(value, Sequence):
        return value.items
    if isinstance(value, Object) and isinstance(value.cls, ClassInfo) and value.fields and value.cls.is_record:
        return tuple([v for _, v in value.fields if v is not NONE])
    return None


def store_item(f: Frame, target: ir.Index, value: Value, pos: int) -> None:
    """`container[index] = value`: mask stores trace, slices bounded by tensor data do not."""
    owner = f.eval(target.value)
    index = f.eval(target.index)
    if f.state is None:
        return
    tensor = tensor_arm(owner)
    if tensor is not None:
        form = None
        for part in _parts(index):
            if isinstance(part, Sequence) and part.kind == "slice" and any(tensor_arm(b) for b in part.items or ()):
                form = SyntaxForm.SLICE_SCALAR
            inner = tensor_arm(part)
            if inner is not None and inner.dtype != "float" and inner.is_computed_scalar:
                form = SyntaxForm.INDEX_SCALAR  # an index or mask of no dimension is a number that must be read
        outcome = None if form is None else f.interp.facts.syntax(form)
        f.emit(events.Index(f.site(target.pos), outcome, tensor, index, True, "" if form is None else form.value))
        placement.written(f, tensor, "[...] =", target.pos)
        f.broken_by(outcome)
        return
    key = dotted_name(target.value)
    updated: Value | None = None
    if isinstance(owner, Mapping):
        if isinstance(index, Const):
            entries = dict(owner.entries)
            entries[index.value] = value
            updated = Mapping(tuple(entries.items()), owner.element, owner.exact)
        else:
            updated = Mapping(owner.entries, join(owner.element, value), False)
    elif isinstance(owner, Sequence):
        updated = Sequence(owner.kind, None, join(_any_item(owner) if owner.items != () else BOTTOM, value))
    elif isinstance(owner, Instance) and owner.name in _CONTAINERS:
        items = dict(owner.state).get(HELD)
        if isinstance(items, Mapping):
            updated = Instance(owner.name, owner.inside, ((HELD, Mapping(items.entries, join(items.element, value))),))
    elif isinstance(owner, (External, Instance)):
        name = f"{owner.name}.__setitem__"
        outcome = f.interp.facts.callable(name)
        f.emit(events.Call(f.site(target.pos), outcome, name, owner, (index, value), {}, NONE))
        f.broken_by(outcome)
    if updated is not None and key and f.state is not None:
        rebind(f, target.value, updated)
    outer = outer_container(f, target.value)
    if outer:
        f.emit(events.Mutation(f.site(target.pos), None, outer, key, "item", value))
    if f.state is not None:
        how = "augmented" if isinstance(f.rhs, ir.AugAssign) else "item"
        contents.contained(f, target.value, how, value, target.pos, index)
    if isinstance(owner, Object) and isinstance(owner.cls, ClassInfo):
        method = owner.cls.method("__setitem__")
        if method is not None:
            f.interp.call_method(f, owner, "__setitem__", Args([index, value]), target.pos)


def rebind(f: Frame, expr: ir.Expr, value: Value) -> None:
    """A container reached by a name or a path has changed: give that name or path its new value."""
    key = dotted_name(expr)
    if not key or f.state is None:
        return
    if "." in key:
        f.state.paths[key] = value
        if isinstance(expr, ir.Attr) and isinstance(expr.value, ir.Name) and expr.value.id == f.self_name:
            f.writes[expr.name] = join(f.writes.get(expr.name) or BOTTOM, value)
    elif key in f.state.names:
        f.state.names[key] = value


def outer_container(f: Frame, expr: ir.Expr) -> str:
    """Whether a container lives outside the call: `self`, `global` or ""."""
    if isinstance(expr, ir.Attr):
        root: ir.Expr = expr
        while isinstance(root, ir.Attr):
            root = root.value
        return "self" if isinstance(root, ir.Name) and root.id == f.self_name else ""
    if isinstance(expr, ir.Name) and f.function is not None and f.state is not None:
        return "global" if expr.id not in f.state.names and expr.id in f.module.bindings else ""
    return ""


# -------------------------------------------------------------------- loading


def load_item(f: Frame, value: Value, index: Value, pos: int) -> Value:
    """`value[index]`."""
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
        return _tensor_item(f, value, index, pos)
    if isinstance(value, Sequence):
        return _sequence_item(f, value, index, pos)
    if isinstance(value, Mapping):
        if isinstance(index, Const):
            found = value.get(index.value)
            if found is not None:
                return found
            return value.element if value.element is not BOTTOM else UNKNOWN
        return mixed_bag([value.element, *[v for _, v in value.entries]])
    if isinstance(value, (Const, Scalar)):
        return Scalar("str") if _is_text(value) else UNKNOWN
    if isinstance(value, Object) and isinstance(value.cls, ClassInfo):
        return _object_item(f, value, index, pos)
    if isinstance(value, Instance) and value.name in (*_CONTAINERS, "torch.nn.ParameterDict"):
        return _container_item(value, index)
    if isinstance(value, (ClassRef, External)):
        return value  # Generic[T]
    parts = _parts(index)
    if (isinstance(value, Unknown) and any(_is_mark(p) for p in parts)) or (
        isinstance(value, Unknown) and len(parts) > 1 and any(_is_slice(p) for p in parts)
    ):
        # Only tensors and arrays are indexed by `...`, `None` or several slices.
        believed = Tensor(
            "", None, Source.INPUT, confidence=Confidence.LIKELY, origin=f.origin("indexed like a tensor", pos)
        )
        return _tensor_item(f, believed, index, pos)
    mask = next((t for t in (tensor_arm(p) for p in _parts(index)) if t is not None and t.dtype == "bool"), None)
    if isinstance(value, Unknown) and mask is not None:
        # Only tensors take a mask as an index.
        believed = Tensor(
            "",
            None,
            Source.INPUT,
            confidence=min(mask.confidence, Confidence.LIKELY),
            origin=f.origin("indexed by a mask", pos),
        )
        return _tensor_item(f, believed, index, pos)
    return UNKNOWN


def _is_text(value: Const | Scalar) -> bool:
    return value.kind == "str" if isinstance(value, Scalar) else isinstance(value.value, str)


def _is_mark(part: Value) -> bool:
    return isinstance(part, Const) and (part.value is None or part.value is Ellipsis)


def _is_slice(part: Value) -> bool:
    return isinstance(part, Sequence) and part.kind == "slice"


def _parts(index: Value) -> tuple[Value, ...]:
    if isinstance(index, Sequence) and index.kind == "tuple" and index.items is not None:
        return index.items
    return (index,)


def _tensor_item(f: Frame, value: Tensor, index: Value, pos: int) -> Value:
    """Three bits decide: bool or integer index, a 0-d one computed or not, and whether a bound of a slice is data."""
    parts = _parts(index)
    form: SyntaxForm | None = None
    weakest = value.confidence
    rank, known = value.rank, True
    strided = False
    for part in parts:
        inner = tensor_arm(part)
        if inner is not None:
            if inner.dtype == "bool":
                form = SyntaxForm.MASK_READ
                weakest = min(weakest, inner.confidence)
                known = False
            elif inner.rank == 0 and inner.source is Source.COMPUTED and inner.dtype in ("int", ""):
                form = form or SyntaxForm.INDEX_SCALAR
                weakest = min(weakest, inner.confidence if inner.dtype else Confidence.LIKELY)
                rank = None if rank is None else rank - 1
            elif inner.rank == 0:
                rank = None if rank is None else rank - 1
            else:
                known = False
        elif isinstance(part, Sequence) and part.kind == "slice":
            strided = True
            bounds = [b for b in (tensor_arm(b) for b in part.items or ()) if b is not None]
            if bounds:
                form = form or SyntaxForm.SLICE_SCALAR
                weakest = min(weakest, *[b.confidence for b in bounds])
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
        layout="strided" if strided else "",
        confidence=value.confidence,
        origin=f.origin("an item", pos, value.origin, OriginKind.ITEM),
    )
    if form is not None:
        f.emit(events.Index(f.site(pos), outcome, value.but(confidence=weakest), index, False, form.value))
        f.broken_by(outcome, weakest is Confidence.CERTAIN)
        if outcome is not None and f.context.config.breaks(outcome):
            return result.but(source=Source.INPUT)
    return result


def _sequence_item(f: Frame, value: Sequence, index: Value, pos: int) -> Value:
    inner = tensor_arm(index)
    if inner is not None:
        form = SyntaxForm.RANGE_INDEX if value.kind == "range" else SyntaxForm.LIST_INDEX
        outcome = f.interp.facts.syntax(form)
        f.emit(events.Index(f.site(pos), outcome, inner, index, False, form.value))
        f.broken_by(outcome, inner.confidence is Confidence.CERTAIN)
        return _any_item(value)
    if value.items is not None and isinstance(index, Const) and type(index.value) is int:
        return value.items[index.value] if -len(value.items) <= index.value < len(value.items) else UNKNOWN
    if isinstance(index, Sequence) and index.kind == "slice":
        bounds = index.items or ()
        if value.items is not None and all(
            isinstance(b, Const) and (b.value is None or type(b.value) is int) for b in bounds
        ):
            lower, upper, step = [b.value for b in bounds if isinstance(b, Const)]
            return Sequence(value.kind, value.items[slice(lower, upper, step or None)], BOTTOM)
        return Sequence(value.kind, None, _any_item(value))
    return _any_item(value)


def _any_item(s: Sequence) -> Value:
    return mixed_bag((s.element,) if s.items is None else s.items)


def mixed_bag(values: Iterable[Value]) -> Value:
    """Any one of several values that stand side by side: that a tensor lies among other things proves little."""
    joined = join_all(values)
    if isinstance(joined, Union):
        others = [a for a in joined.arms if not isinstance(a, Tensor) and a is not NONE and not _is_none(a)]
        if others and len(others) < len(joined.arms):
            return join_all(
                [a.but(confidence=Confidence.POSSIBLE) if isinstance(a, Tensor) else a for a in joined.arms]
            )
    return UNKNOWN if joined is BOTTOM else joined


def _is_none(value: Value) -> bool:
    return isinstance(value, Const) and value.value is None


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
            return Instance(value.name, value.inside, ((HELD, Sequence("list", None, _any_item(items))),))
        if items.items is not None and isinstance(index, Const) and type(index.value) is int:
            return items.items[index.value] if -len(items.items) <= index.value < len(items.items) else UNKNOWN
        return _any_item(items)
    if isinstance(items, Mapping):
        found = items.get(index.value) if isinstance(index, Const) else None
        return found or join_all([items.element, *[v for _, v in items.entries]])
    return UNKNOWN


# ------------------------------------------------------------------- iteration


def iterate(f: Frame, value: Value, pos: int) -> Value:
    """What one pass of `for item in value` gets."""
    if isinstance(value, Union):
        tensor = tensor_arm(value)
        if any(_is_empty(a) for a in value.arms):  # an empty one has no items to give
            return iterate(f, join_all([a for a in value.arms if not _is_empty(a)]), pos)
        found = [
            iterate(f, tensor if isinstance(a, Tensor) and tensor else a, pos) for a in value.arms if a is not NONE
        ]
        return join_all(found)
    if isinstance(value, Tensor):
        rank = None if value.rank is None else max(value.rank - 1, 0)
        return value.but(
            rank=rank, source=Source.COMPUTED, origin=f.origin("a row", pos, value.origin, OriginKind.ITEM)
        )
    if isinstance(value, Sequence):
        if value.kind == OUTSIDE:
            tell_of_outside_iterator(f, pos)
        inside = _any_item(value)
        return inside if inside is not BOTTOM else UNKNOWN
    if isinstance(value, Mapping):
        return join_all([Const(k) for k, _ in value.entries] + ([] if value.exact else [Scalar("str")]))
    if isinstance(value, Instance):
        if value.name == "torch.nn.ModuleDict":
            return Scalar("str")
        items = dict(value.state).get(HELD)
        return _any_item(items) if isinstance(items, Sequence) else UNKNOWN
    if isinstance(value, Object) and isinstance(value.cls, ClassInfo):
        if value.cls.method("__iter__") is not None:
            made = f.interp.call_method(f, value, "__iter__", Args([]), pos)
            return iterate(f, made, pos) if not isinstance(made, Object) else UNKNOWN
        if value.fields:
            return (
                Scalar("str")
                if not value.cls.descends_from("typing.NamedTuple")
                else join_all([v for _, v in value.fields])
            )
    if isinstance(value, (Const, Scalar)) and _is_text(value):
        return Scalar("str")
    return UNKNOWN


def tell_of_outside_iterator(f: Frame, pos: int) -> None:
    """Dynamo can neither start nor advance an iterator that it did not see being made."""
    outcome = f.interp.facts.syntax(SyntaxForm.NEXT_OF_OUTSIDE)
    f.emit(events.Syntax(f.site(pos), outcome, SyntaxForm.NEXT_OF_OUTSIDE.value))
    f.broken_by(outcome)


def _is_empty(value: Value) -> bool:
    if isinstance(value, Instance):
        items = dict(value.state).get(HELD)
        return isinstance(items, Sequence) and items.items == ()
    return isinstance(value, Sequence) and value.items == ()
