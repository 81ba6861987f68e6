"""What the operations of a tensor give, as far as guards of a later call could ask."""

from __future__ import annotations

from typing import Any

from compilelint.host import tensors
from compilelint.host.iterating import Some
from compilelint.host.protocol import Machine
from compilelint.host.recorded import shared
from compilelint.host.values import (
    UNKNOWN,
    Drawn,
    External,
    Lib,
    Result,
    Sym,
    Tensor,
    Value,
)

_CASTS = {
    "float": "float32",
    "half": "float16",
    "double": "float64",
    "bfloat16": "bfloat16",
    "long": "int64",
    "int": "int32",
    "bool": "bool",
}


def shape_of(m: Machine, t: Tensor) -> Value:
    """`t.shape`."""
    if t.shape is None:
        return Some(UNKNOWN)
    return tuple([UNKNOWN if d is None else m.regions.dimension(m, t, i, d) for i, d in enumerate(t.shape)])


def method_of_tensor(m: Machine, t: Tensor, name: str, args: list[Value], keywords: dict[str, Value]) -> Value:
    """`t.name(...)`, and `torch.name(t, ...)`."""
    if isinstance(t, Result) and name in ("items", "values", "to_tuple") and not args:
        return Some((UNKNOWN, t.part()) if name == "items" else t.part())
    return shared(t, name, _given(m, t, name, args, keywords))


def _given(m: Machine, t: Tensor, name: str, args: list[Value], keywords: dict[str, Value]) -> Value:
    first = args[0] if args else None
    others = [a for a in (*args, *keywords.values()) if isinstance(a, Tensor)]
    if m.region is not None:
        for a in args:
            if isinstance(a, Sym):
                m.region.used(a)
    if name in ("item", "tolist"):
        return Drawn("int" if t.dtype.startswith("int") else "float") if name == "item" else UNKNOWN
    if name == "size":
        shape = shape_of(m, t)
        if isinstance(shape, tuple) and isinstance(first, int):
            return shape[first] if -len(shape) <= first < len(shape) else UNKNOWN
        return shape if not args else UNKNOWN
    if name in ("dim", "ndimension"):
        return len(t.shape) if t.shape is not None else UNKNOWN
    if name == "numel":
        total = None if t.shape is None else tensors.product(t.shape)
        return UNKNOWN if total is None else total
    if name in ("detach", "data"):
        return t.but(grad=False, given=None)
    if name == "requires_grad_":
        t.grad = not (args and first is False)
        return t
    if name in _CASTS:
        return tensors.combined([t], t.shape, m.gradients, _CASTS[name])
    if name in ("to", "type"):
        made = tensors.combined([t], t.shape, m.gradients)
        for a in (*args, *keywords.values()):
            if isinstance(a, External) and a.name.startswith("torch."):
                made.dtype = tensors.dtype_of(a)
            elif isinstance(a, str):
                made.device = a
            elif not isinstance(a, bool):
                made.device = ""
        return made
    if name in ("cuda", "cpu", "numpy", "clone"):
        made = tensors.combined([t], t.shape, m.gradients)
        made.device = "cpu" if name == "cpu" else "cuda" if name == "cuda" else t.device
        return made
    return _shaped(m, t, name, args, keywords, [t, *others])


def _shaped(
    m: Machine, t: Tensor, name: str, args: list[Value], keywords: dict[str, Value], sources: list[Tensor]
) -> Value:
    first = args[0] if args else None
    if name == "contiguous" and tensors.packed(t):
        return t
    if name == "narrow" and len(args) == 3 and t.shape and isinstance(first, int):
        at = first % len(t.shape)
        part = tensors.combined([t], (*t.shape[:at], tensors.dim_of(args[2]), *t.shape[at + 1 :]), m.gradients)
        return tensors.cut(part, tensors.strides_of(t.shape, t.layout))
    if name in tensors.SAME_SHAPE:
        made = tensors.combined(sources, t.shape, m.gradients)
        if name.endswith("_like"):
            made.grad = keywords.get("requires_grad") is True
        return made
    if name in tensors.REDUCE:
        return _reduced(m, t, name, args, keywords, sources)
    if name in ("t", "transpose", "swapaxes", "permute", "movedim"):
        return _turned(m, t, name, args)
    if name in ("chunk", "split", "unbind"):
        return _parted(t, name, first, args[1] if len(args) > 1 else keywords.get("dim", 0))
    if name == "topk" and t.shape:
        values = tensors.combined(sources, (*t.shape[:-1], tensors.dim_of(first)), m.gradients)
        both = Lib("torch.return_types", [], {})
        both.attrs.update(values=values, indices=values.but(dtype="int64", grad=False))
        return both
    if name == "multinomial" and t.shape:
        return tensors.combined(sources, (*t.shape[:-1], tensors.dim_of(first)), False, "int64")
    shape = _resized(t, name, args) if name in _RESIZING else _computed(t, name, first, sources)
    made = tensors.combined(sources, shape, m.gradients)
    if name in ("squeeze", "unsqueeze") and t.shape and shape is not None and isinstance(first, int):
        by = len(shape) - len(t.shape)
        return tensors.moved_marks(made, t, first % (len(t.shape) + (by > 0)), by) if by else made
    return made


_RESIZING = frozenset("view reshape flatten expand new_zeros new_ones new_empty new_full unsqueeze squeeze".split())


def _reduced(
    m: Machine, t: Tensor, name: str, args: list[Value], keywords: dict[str, Value], sources: list[Tensor]
) -> Value:
    first = args[0] if args else None
    dim = keywords.get("dim", keywords.get("axis", first if not isinstance(first, Tensor) else None))
    keep = keywords.get("keepdim", args[1] if len(args) > 1 and isinstance(args[1], bool) else False) is True
    if name == "norm" and "dim" not in keywords:
        dim = args[1] if len(args) > 1 else None
    dtype = "int64" if name.startswith("arg") else ""
    result = tensors.combined(sources, tensors.reduced(t, dim, keep), m.gradients, dtype)
    if name not in ("max", "min", "median") or dim is None:
        return result
    return Lib("torch.return_types", [], {}) if m.region is None else (result, result)


def _resized(t: Tensor, name: str, args: list[Value]) -> Any:
    """The shape of what holds the same elements, or a tensor of the sizes that are given."""
    first = args[0] if args else None
    if name in ("view", "reshape"):
        return tensors.reshaped(t, tensors.given_sizes(args))
    if name in ("expand", "new_zeros", "new_ones", "new_empty", "new_full"):
        made = tensors.given_sizes(args)
        return None if made is not None and -1 in made else made
    if t.shape is None or not isinstance(first, int):
        return None
    if name == "flatten":
        known = len(args) == 1 and first < len(t.shape)
        return (*t.shape[:first], tensors.product(t.shape[first:])) if known else None
    if name == "unsqueeze":
        at = first % (len(t.shape) + 1)
        return (*t.shape[:at], 1, *t.shape[at:])
    if not t.shape:
        return None
    at = first % len(t.shape)
    return tuple([d for i, d in enumerate(t.shape) if i != at or d != 1])


def _computed(t: Tensor, name: str, first: Value, sources: list[Tensor]) -> Any:
    """The shape of what is computed with other tensors, or depends on the data."""
    if name in ("matmul", "mm", "bmm") and isinstance(first, Tensor):
        return tensors.matmul(t.shape, first.shape)
    if name in ("add", "sub", "mul", "div", "where", "maximum", "minimum", "lerp", "atan2"):
        made: Any = t.shape
        for one in sources[1:]:
            made = tensors.broadcast(made, one.shape)
        return made
    if name in ("nonzero", "unique", "masked_select", "bincount"):
        return (Drawn(), len(t.shape)) if name == "nonzero" and t.shape is not None else (Drawn(),)
    if name == "cdist" and isinstance(first, Tensor) and t.shape and first.shape:
        return (*t.shape[:-1], first.shape[-2])
    return None


def _turned(m: Machine, t: Tensor, name: str, args: list[Value]) -> Tensor:
    shape = t.shape
    if shape is None:
        return tensors.combined([t], None, m.gradients)
    order = list(range(len(shape)))
    numbers = [a for a in (args[0] if args and isinstance(args[0], (list, tuple)) else args) if isinstance(a, int)]
    if name == "permute" and len(numbers) == len(shape):
        order = [n % len(shape) for n in numbers]
    elif name == "t" and len(shape) == 2:
        order = [1, 0]
    elif name in ("transpose", "swapaxes") and len(numbers) == 2 and shape:
        a, b = (n % len(shape) for n in numbers)
        order[a], order[b] = order[b], order[a]
    else:
        return tensors.combined([t], None, m.gradients)
    made = tensors.combined([t], tuple([shape[i] for i in order]), m.gradients)
    made.layout = "" if t.layout == str(order) else str(order)
    return made


def _parted(t: Tensor, name: str, first: Value, dim: Value) -> Value:
    if t.shape is None or not isinstance(dim, int) or not t.shape or not isinstance(t.shape[dim % len(t.shape)], int):
        return Some(tensors.unknown())
    at = dim % len(t.shape)
    whole = t.shape[at]
    assert isinstance(whole, int)
    strides = tensors.strides_of(t.shape, t.layout)
    if name == "unbind":
        rest = None if strides is None else (*strides[:at], *strides[at + 1 :])
        shape = (*t.shape[:at], *t.shape[at + 1 :])
        return [tensors.cut(t.but(shape=shape), rest) for _ in range(min(whole, 64))]
    if isinstance(first, (list, tuple)):
        sizes = [tensors.dim_of(one) for one in first]
    elif isinstance(first, int) and first > 0:
        step = first if name == "split" else -(-whole // first)
        sizes = [min(step, whole - i) for i in range(0, min(whole, 64 * step), step)]
    else:
        return Some(tensors.unknown())
    return [tensors.cut(t.but(shape=(*t.shape[:at], size, *t.shape[at + 1 :])), strides) for size in sizes]
