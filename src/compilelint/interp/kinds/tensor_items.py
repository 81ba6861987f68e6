"""Items of a tensor: what an index leaves of its dimensions, and what of the index Dynamo must read."""

from __future__ import annotations

from dataclasses import replace

from compilelint import events
from compilelint.interp.core.frame import Frame
from compilelint.interp.devices import capture
from compilelint.interp.kinds import jagged_tensors
from compilelint.interp.kinds.drawn_numbers import as_tensor
from compilelint.model import Doubt, weakest
from compilelint.model.sizes import ONE, Size, Sizes
from compilelint.syntax import ir
from compilelint.syntax.walk import dotted_name
from compilelint.torchfacts import SyntaxForm
from compilelint.values import (
    NONE,
    UNKNOWN,
    Const,
    Layout,
    OriginKind,
    Scalar,
    Sequence,
    Source,
    Tensor,
    Value,
    is_none,
    tensor_arm,
    type_name,
)

_AN_ITEM = "an item"
_LONGEST_NAME = 40


def spelled_item(item: Value, n: ir.Index) -> Value:
    """An item of a tensor under the name that the source gives it, "`onehot[e]`", where that is short."""
    if not isinstance(item, Tensor) or item.origin is None or item.origin.what != _AN_ITEM:
        return item
    base, inside = dotted_name(n.value), dotted_name(n.index)
    if isinstance(n.index, ir.Const):
        inside = repr(n.index.value)
    name = f"{base}[{inside or '...'}]"
    return item.but(origin=replace(item.origin, what=f"`{name}`")) if base and len(name) <= _LONGEST_NAME else item


def _is_mark(part: Value) -> bool:
    return isinstance(part, Const) and (part.value is None or part.value is Ellipsis)


def _is_slice(part: Value) -> bool:
    return isinstance(part, Sequence) and part.kind == "slice"


def parts_of(index: Value) -> tuple[Value, ...]:
    """The parts of an index: `x[i, :, None]` has three."""
    if isinstance(index, Sequence) and index.kind == "tuple" and index.items is not None:
        return index.items
    return (index,)


def believed_tensor(f: Frame, index: Value, pos: int) -> Tensor | None:
    """The tensor that an unknown value must be, by how it is indexed; None where anything may be indexed so."""
    parts = parts_of(index)
    if any(map(_is_mark, parts)) or (len(parts) > 1 and any(map(_is_slice, parts))):
        # Only tensors and arrays are indexed by `...`, `None` or several slices.
        origin = f.origin("indexed like a tensor", pos)
        return Tensor("", None, Source.INPUT, confidence=Doubt.USED_LIKE_A_TENSOR.cap, origin=origin)
    mask = next((t for t in map(tensor_arm, parts) if t is not None and t.dtype == "bool"), None)
    if mask is None:
        return None
    # Only tensors take a mask as an index.
    sure = Doubt.USED_LIKE_A_TENSOR.lower(mask.confidence)
    return Tensor("", None, Source.INPUT, confidence=sure, origin=f.origin("indexed by a mask", pos))


class _Indexing:
    """What the parts of an index come to, one after the other.

    `form` is what must be read of the index, as surely as `sure`; `rank` what is left of the dimensions, None where
    that is not known, as where not every part is `known`; `strided` says that a part is a slice.
    """

    __slots__ = ("form", "known", "rank", "strided", "sure")

    def __init__(self, value: Tensor) -> None:
        self.form: SyntaxForm | None = None
        self.sure = value.confidence
        self.rank = value.rank
        self.known = True
        self.strided = False

    def take(self, f: Frame, part: Value, pos: int) -> None:
        """One more part."""
        inner = as_tensor(f, part, pos)
        if inner is not None:
            self._tensor(inner)
        elif isinstance(part, Sequence) and part.kind == "slice":
            self._slice([b for b in (as_tensor(f, b, pos) for b in part.items or ()) if b is not None])
        elif isinstance(part, Const):
            self._constant(part.value)
        elif isinstance(part, Scalar) and part.kind == "int":
            self._dimensions(-1)
        else:
            self.known = False  # a list of integers or booleans, say: advanced indexing

    def _dimensions(self, more: int) -> None:
        self.rank = None if self.rank is None else self.rank + more

    def _tensor(self, inner: Tensor) -> None:
        if inner.dtype == "bool":
            self.form = SyntaxForm.MASK_READ
            self.sure = weakest(self.sure, inner.confidence)
            self.known = False
        elif inner.rank != 0:
            self.known = False
        else:
            if inner.source is Source.COMPUTED and inner.dtype in ("int", ""):
                self.form = self.form or SyntaxForm.INDEX_SCALAR
                self.sure = weakest(self.sure, inner.confidence if inner.dtype else Doubt.DTYPE_UNKNOWN.cap)
            self._dimensions(-1)

    def _slice(self, bounds: list[Tensor]) -> None:
        self.strided = True
        if bounds:
            self.form = self.form or SyntaxForm.SLICE_SCALAR
            self.sure = weakest(self.sure, *[b.confidence for b in bounds])

    def _constant(self, value: object) -> None:
        if value is None:
            self._dimensions(1)
        elif isinstance(value, bool):
            self.known = False
        elif isinstance(value, int):
            self._dimensions(-1)


def tensor_item(f: Frame, value: Tensor, index: Value, pos: int) -> Value:
    """Three bits decide: bool or integer index, a 0-d one computed or not, and whether a bound of a slice is data."""
    parts = parts_of(index)
    capture.indexed(f, value, index, pos)
    indexing = _Indexing(value)
    for part in parts:
        indexing.take(f, part, pos)
    form, rank = indexing.form, indexing.rank if indexing.known else None
    outcome = None if form is None else f.interp.facts.syntax(form)
    result = value.but(
        rank=None if rank is None else max(rank, 0),
        source=Source.COMPUTED,
        layout=_layout(value, parts) if indexing.strided else "",
        confidence=value.confidence,
        origin=f.origin(_AN_ITEM, pos, value.origin, OriginKind.ITEM),
        sizes=None if rank is None else _sizes_at(value, parts),
    )
    result = jagged_tensors.item(f, value, parts, result, pos)
    if form is None:
        f.trace.captures(pos)
        return result
    f.emit(events.Index(f.site(pos), outcome, value.but(confidence=indexing.sure), index, False, form.value))
    f.broken_by(outcome, indexing.sure, splits=form is not SyntaxForm.SLICE_SCALAR)
    if outcome is not None and f.context.config.breaks(outcome):
        return result.but(source=Source.INPUT)
    return result


def row_of(f: Frame, value: Tensor, pos: int) -> Tensor:
    """What one pass of `for row in x` gets."""
    return value.but(
        rank=None if value.rank is None else max(value.rank - 1, 0),
        source=Source.COMPUTED,
        origin=f.origin("a row", pos, value.origin, OriginKind.ITEM),
        sizes=None if not value.sizes or not any(value.sizes[1:]) else value.sizes[1:],
    )


def _layout(value: Tensor, parts: tuple[Value, ...]) -> Layout:
    """The layout of a part with a slice in it: rows in a row are as contiguous as the tensor itself."""
    *before, last = parts
    rows = isinstance(last, Sequence) and last.kind == "slice" and (last.items or ())[2:] == (NONE,)
    return value.layout if rows and all(type_name(p) == "int" for p in before) else "strided"


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
