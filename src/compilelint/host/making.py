"""Tensors that the host makes: from sizes, numbers, lists and other tensors."""

from __future__ import annotations

from typing import Any

from compilelint.host import tensors
from compilelint.host.iterating import Some, items_of
from compilelint.host.protocol import Machine
from compilelint.host.signals import MOST_ITEMS
from compilelint.host.values import (
    UNKNOWN,
    Drawn,
    Tensor,
    Value,
)


def with_options(t: Tensor, keywords: dict[str, Value]) -> Tensor:
    """The tensor with the dtype, device and flag that the keywords ask for."""
    if "dtype" in keywords and keywords["dtype"] is not None:
        t.dtype = tensors.dtype_of(keywords["dtype"])
    if keywords.get("requires_grad") is True:
        t.grad = True
    if "device" in keywords:
        device = keywords["device"]
        t.device = device if isinstance(device, str) else ""
    return t


def made_of_sizes(short: str, args: list[Value], keywords: dict[str, Value]) -> Tensor:
    """`zeros(2, 3)` and its like."""
    sizes = keywords.get("size")
    given = args
    if short == "randint":
        given = [next((one for one in args if isinstance(one, (list, tuple))), UNKNOWN)]
    elif short == "full":
        given = args[:1]
    shape = tensors.given_sizes(given) if sizes is None else tensors.dims_of(sizes)
    dtype = "int64" if short == "randint" else "float32"
    return with_options(Tensor(shape, dtype), keywords)


def ranged(short: str, args: list[Value], keywords: dict[str, Value]) -> Tensor:
    """`arange`, `linspace` and `eye`."""
    if short == "arange":
        if len(args) == 1 and isinstance(args[0], (int, Drawn)):
            size = tensors.dim_of(args[0])
        elif all(isinstance(a, int) for a in args) and args and not (len(args) > 2 and args[2] == 0):
            size = len(range(*args))
        else:
            size = None
        return with_options(Tensor((size,), "int64"), keywords)
    if short == "eye":
        return with_options(Tensor((tensors.dim_of(args[0]),) * 2 if args else None), keywords)
    count = args[2] if len(args) > 2 else keywords.get("steps")
    return with_options(Tensor((tensors.dim_of(count),)), keywords)


def joined(m: Machine, short: str, args: list[Value], keywords: dict[str, Value]) -> Tensor:
    """`cat`, `stack` and their like, of tensors that are known."""
    parts = items_of(m, args[0], MOST_ITEMS) if args else None
    several = m.counted(args[0]) if args else None
    example = args[0].element if args and isinstance(args[0], Some) else parts[0] if several and parts else None
    if isinstance(example, Tensor) and example.shape is not None:
        first = args[1] if len(args) > 1 else keywords.get("dim", 0)
        return _of_example(m, short, example, first, Drawn() if several is None else several)
    held = [one for one in parts or () if isinstance(one, Tensor)]
    dim = args[1] if len(args) > 1 else keywords.get("dim", 0)
    every = len(held) == len(parts or ())
    grown = [one for one in held if one.shape and any(one is given for given in m.regions.given_last)]
    if len(grown) == 1 and isinstance(dim, int) and short != "stack" and not (every and all(t.shape for t in held)):
        shape = list(grown[0].shape or ())  # what a model was given, and more: it is given another size each time
        shape[dim % len(shape)] = Drawn()
        return tensors.combined(grown, tuple(shape), m.gradients)
    return _joined(m, short, held, dim) if held and every else tensors.unknown()


def _of_example(m: Machine, short: str, one: Tensor, dim: Value, count: Drawn) -> Tensor:
    """The same, of tensors like `one`, as many as `count` says, which is not known."""
    shape = list(one.shape or ())
    if not isinstance(dim, int) or short not in ("stack", "cat", "concat") or (not shape and short != "stack"):
        return tensors.combined([one], None, m.gradients)
    if short == "stack":
        shape.insert(dim % (len(shape) + 1), count)
    else:
        shape[dim % len(shape)] = count
    return tensors.combined([one], tuple(shape), m.gradients)


def _joined(m: Machine, short: str, held: list[Tensor], dim: Value) -> Tensor:
    """The same, where all are tensors."""
    if short == "stack":
        shape = held[0].shape if all(t.shape == held[0].shape for t in held) else None
        if shape is not None and isinstance(dim, int):
            at = dim % (len(shape) + 1)
            shape = (*shape[:at], len(held), *shape[at:])
        else:
            shape = None
    else:
        shape = tensors.joined(held, dim if short in ("cat", "concat") else None)
    return tensors.combined(held, shape, m.gradients)


def padded_by(t: Tensor, by: Value) -> Any:
    """The shape that `F.pad` gives."""
    if t.shape is None or not isinstance(by, (list, tuple)):
        return None
    shape = list(t.shape)
    for i in range(len(by) // 2):
        if i >= len(shape):
            return None
        d, low, high = shape[-1 - i], by[2 * i], by[2 * i + 1]
        known = isinstance(d, int) and isinstance(low, int) and isinstance(high, int)
        shape[-1 - i] = d + low + high if known else None
    return tuple(shape)


def resized(t: Tensor, size: Value, scale: Value = None) -> Any:
    """The shape that `F.interpolate` gives."""
    if t.shape is None:
        return None
    if size is None:
        return _scaled(t.shape, scale)
    sizes = tensors.dims_of(size) or (tensors.dim_of(size),) * (len(t.shape) - 2)
    return (*t.shape[:2], *sizes)


def _scaled(shape: Any, scale: Value) -> Any:
    rest = shape[2:]
    factors = scale if isinstance(scale, (list, tuple)) else [scale] * len(rest)
    if len(factors) != len(rest):
        return None
    known = [isinstance(d, int) and isinstance(by, (int, float)) for d, by in zip(rest, factors, strict=True)]
    sizes = [int(d * by) if is_int else None for d, by, is_int in zip(rest, factors, known, strict=True)]
    return (*shape[:2], *sizes)


def padded(m: Machine, args: list[Value], keywords: dict[str, Value]) -> Tensor:
    """`pad_sequence`."""
    rows = args[0] if args else None
    if m.counted(rows) is not None:
        return tensors.unknown()
    if isinstance(rows, (list, tuple)) and rows and all(isinstance(t, Tensor) and t.shape for t in rows):
        lengths = [t.shape[0] for t in rows]
        longest = max(lengths) if all(isinstance(n, int) for n in lengths) else None
        first = keywords.get("batch_first", args[1] if len(args) > 1 else False) is True
        head = (len(rows), longest) if first else (longest, len(rows))
        return Tensor((*head, *rows[0].shape[1:]), rows[0].dtype)
    return tensors.unknown()


def of_numpy(short: str, args: list[Value], keywords: dict[str, Value]) -> Value:
    """An array of NumPy, as the tensor that is made of it."""
    if short in ("zeros", "ones", "empty", "full"):
        made = Tensor(tensors.given_sizes(args[:1]), "float64")
        at = 2 if short == "full" else 1
        if "dtype" in keywords or len(args) > at:
            made.dtype = tensors.dtype_of(keywords.get("dtype", args[at] if len(args) > at else UNKNOWN))
        return made
    if short in ("linspace", "geomspace", "logspace"):
        count = keywords.get("num", args[2] if len(args) > 2 else 50)
        return Tensor(tensors.given_sizes([count]), "" if "dtype" in keywords else "float64")
    if short in ("array", "asarray"):
        return tensors.of_data(args[0] if args else None)
    return UNKNOWN
