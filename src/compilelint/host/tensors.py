"""The shapes that operations give, as far as guards of a later call could ask: a few dozen of the usual operations.

Where an operation is not known here its result is a tensor of which nothing is known, and no guard on it is judged.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from compilelint.host.values import UNKNOWN, Dim, Drawn, Tensor, Value

MAKERS = frozenset({"rand", "randn", "zeros", "ones", "empty", "full", "randint"})
SAME_SHAPE = frozenset(
    """
    relu gelu silu tanh sigmoid sin cos exp log abs sqrt rsqrt square neg clamp clip clamp_min clamp_max softmax
    log_softmax dropout cumsum cumprod masked_fill normal_ uniform_ zero_ fill_ copy_ add_ mul_ sub_ div_ lerp_
    contiguous layer_norm batch_norm group_norm instance_norm leaky_relu elu softplus hardtanh relu_ flip roll
    sort sign round floor ceil nan_to_num requires_grad_ pin_memory pow rms_norm normalize zeros_like ones_like
    rand_like randn_like empty_like full_like logical_not sigmoid_ clamp_ detach_ hardswish mish triu tril
    reciprocal sin_ tanh_
    """.split()
)
REDUCE = frozenset("sum mean amax amin max min argmax argmin prod norm std var all any logsumexp median".split())
COMPARE = frozenset(("<", ">", "<=", ">=", "==", "!="))
_LAYERS_SAME = frozenset(
    """
    ReLU GELU SiLU Tanh Sigmoid Softmax LogSoftmax Dropout Dropout1d Dropout2d LayerNorm BatchNorm1d BatchNorm2d
    BatchNorm3d GroupNorm InstanceNorm1d InstanceNorm2d Identity LeakyReLU ELU Softplus ReLU6 Hardswish RMSNorm
    Mish PReLU
    """.split()
)


def unknown(grad: bool | None = None) -> Tensor:
    """A tensor of which nothing is known."""
    return Tensor(None, "", grad, "")


def dims_of(value: Value) -> tuple[Dim, ...] | None:
    """Sizes as a program writes them; None where their number is not known."""
    if isinstance(value, (list, tuple)):
        return tuple([dim_of(one) for one in value])
    return None


def dim_of(value: Value) -> Dim:
    """A size as a program writes it; None where it is not known."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return int(value)
    return value if isinstance(value, Drawn) else None


def given_sizes(args: Sequence[Value]) -> tuple[Dim, ...] | None:
    """`zeros(2, 3)`, `zeros((2, 3))`."""
    if len(args) == 1 and isinstance(args[0], (list, tuple)):
        return dims_of(args[0])
    if any(one is UNKNOWN for one in args) and len(args) == 1:
        return None
    return dims_of(list(args))


def dtype_of(value: Value) -> str:
    """`float32` for `torch.float32` and its other names; empty if it is not known."""
    name = getattr(value, "name", "")
    short = str(name).rpartition(".")[2]
    return {"float": "float32", "half": "float16", "double": "float64", "long": "int64", "int": "int32"}.get(
        short, short
    )


def of_data(value: Value) -> Tensor:
    """`torch.tensor(data)`."""
    shape: list[Dim] = []
    one = value
    while isinstance(one, (list, tuple)):
        shape.append(len(one))
        if not one:
            break
        one = one[0]
    if one is UNKNOWN or isinstance(one, Tensor):
        if isinstance(one, Tensor) and one.shape is not None:
            return Tensor((*shape, *one.shape), one.dtype)
        return unknown(False)
    dtype = "bool" if isinstance(one, bool) else "int64" if isinstance(one, int) else "float32"
    if isinstance(one, Drawn):
        dtype = "int64" if one.kind == "int" else "float32"
    return Tensor(tuple(shape), dtype)


def broadcast(a: tuple[Dim, ...] | None, b: tuple[Dim, ...] | None) -> tuple[Dim, ...] | None:
    """The shape of an operation of both."""
    if a is None or b is None:
        return None
    out: list[Dim] = []
    for i in range(1, max(len(a), len(b)) + 1):
        x: Dim = a[-i] if i <= len(a) else 1
        y: Dim = b[-i] if i <= len(b) else 1
        out.append(y if x == 1 else x if y == 1 else x if x == y else x if y is None else y if x is None else None)
    return tuple(out[::-1])


def contiguous(shape: Sequence[Dim] | None) -> tuple[int, ...] | None:
    """The strides of a contiguous tensor; None where a size is not known."""
    if shape is None or not all(isinstance(d, int) for d in shape):
        return None
    strides: list[int] = []
    step = 1
    for d in reversed(shape):
        strides.append(step)
        step *= d if isinstance(d, int) and d > 0 else 1
    return tuple(strides[::-1])


def strides_of(shape: Sequence[Dim] | None, layout: str | tuple[int, ...]) -> tuple[int, ...] | None:
    """The strides of a tensor; None where they are not known."""
    return layout if isinstance(layout, tuple) else None if layout else contiguous(shape)


def cut(part: Tensor, strides: Sequence[int] | None) -> Tensor:
    """The same part of a tensor, with the strides that it has in the whole."""
    if strides is not None and len(strides) == len(part.shape or ()):
        part.layout = "" if tuple(strides) == contiguous(part.shape) else tuple(strides)
    return part


def packed(t: Tensor) -> bool:
    """Whether a tensor counts as contiguous: the strides of dimensions of one do not matter to that."""
    whole = contiguous(t.shape)
    if whole is None or not isinstance(t.layout, tuple):
        return False
    return all(d == 1 or a == b for d, a, b in zip(t.shape or (), t.layout, whole, strict=False))


def combined(tensors: Sequence[Tensor], shape: tuple[Dim, ...] | None, enabled: bool, dtype: str = "") -> Tensor:
    """The result of an operation over tensors."""
    grads = [t.grad for t in tensors]
    grad: bool | None = True if True in grads else None if None in grads else False
    floats = [t.dtype for t in tensors]
    kind = dtype or (floats[0] if len(set(floats)) == 1 else "")
    if kind.startswith(("int", "uint", "bool")):
        grad = False
    made = Tensor(shape, kind, grad if enabled else False, tensors[0].device if tensors else "cpu")
    made.given = next((t.given for t in tensors if t.given is not None), None) if enabled else None
    made.second = next((t.second for t in tensors if t.second is not None), None)
    if made.given is not None:
        made.calls = frozenset().union(*(t.calls for t in tensors if t.given is not None))
    return made


def keep_marks(made: Tensor, sources: Sequence[Tensor]) -> Tensor:
    """The result of a layer or of an operation by elements: its dimensions are those of its sources."""
    for t in sources:
        for d in t.marked:
            at = d - len(t.shape) if t.shape is not None and d >= 0 else d
            if t.shape and made.shape and -at <= len(made.shape) and made.shape[at] == t.shape[at]:
                made.marks[len(made.shape) + at] = t.marks[d]
                made.marked[len(made.shape) + at] = t.marked[d]
    return made


def moved_marks(made: Tensor, t: Tensor, at: int, by: int) -> Tensor:
    """The result of `squeeze` or `unsqueeze`: the marks of the dimensions behind `at` stand one further."""
    for d in t.marked:
        was = d % len(t.shape or (0,))
        if was != at or by > 0:
            made.marks[was if was < at else was + by] = t.marks[d]
            made.marked[was if was < at else was + by] = t.marked[d]
    return made


def matmul(a: tuple[Dim, ...] | None, b: tuple[Dim, ...] | None) -> tuple[Dim, ...] | None:
    """The shape of `a @ b`."""
    if a is None or b is None or not a or not b:
        return None
    if len(b) == 1:
        return a[:-1]
    if len(a) == 1:
        return (*b[:-2], b[-1])
    first = broadcast(a[:-2], b[:-2])
    return None if first is None else (*first, a[-2], b[-1])


def reduced(t: Tensor, dim: Value, keep: bool) -> tuple[Dim, ...] | None:
    """The shape without the dimensions that are reduced."""
    if dim is None:
        return ()
    if t.shape is None:
        return None
    dims = dim if isinstance(dim, (list, tuple)) else [dim]
    if not all(isinstance(d, int) for d in dims):
        return None
    gone = {d % len(t.shape) if t.shape else 0 for d in dims}
    if keep:
        return tuple([1 if i in gone else d for i, d in enumerate(t.shape)])
    return tuple([d for i, d in enumerate(t.shape) if i not in gone])


def product(dims: Sequence[Dim]) -> int | None:
    """The number of elements; None where a size is not known."""
    total = 1
    for d in dims:
        if not isinstance(d, int):
            return None
        total *= d
    return total


def reshaped(t: Tensor, sizes: tuple[Dim, ...] | None) -> tuple[Dim, ...] | None:
    """The shape of `view` and `reshape`."""
    if sizes is None or -1 not in sizes:
        return sizes
    whole = None if t.shape is None else product(t.shape)
    rest = product([d for d in sizes if d != -1])
    left: Dim = whole // rest if whole is not None and rest else None
    if left is None and t.shape is not None and any(isinstance(d, Drawn) for d in t.shape):
        left = next(d for d in t.shape if isinstance(d, Drawn))
    return tuple([left if d == -1 else d for d in sizes])


def joined(tensors: Sequence[Value], dim: Value) -> tuple[Dim, ...] | None:
    """The shape of `cat`."""
    shapes = [t.shape if isinstance(t, Tensor) else None for t in tensors]
    first = shapes[0] if shapes else None
    if first is None or not isinstance(dim, int) or any(s is None or len(s) != len(first) for s in shapes):
        return None
    at = dim % len(first) if first else 0
    total: Dim = 0
    for s in shapes:
        one = s[at] if s is not None else None
        total = total + one if isinstance(total, int) and isinstance(one, int) else (Drawn() if one or total else None)
    return tuple([total if i == at else d for i, d in enumerate(first)])


def slice_length(length: Dim, lower: Value, upper: Value, step: Value) -> Dim:
    """How long a slice of a dimension is."""
    if (lower, upper, step) == (None, None, None):
        return length
    if isinstance(lower, Drawn) and isinstance(upper, Drawn) and lower.base == upper.base and step is None:
        return max(upper.offset - lower.offset, 0)  # of a place that is drawn within the length
    if any(isinstance(one, Drawn) for one in (lower, upper)):
        return Drawn()
    known = all(one is None or isinstance(one, int) for one in (lower, upper, step))
    if known and isinstance(length, int):
        return len(range(*slice(lower, upper, step).indices(length)))
    if known and lower in (None, 0) and isinstance(upper, int) and upper >= 0 and step is None:
        return upper if length is None else length if isinstance(length, Drawn) else None
    return None


def layer(name: str, args: Sequence[Value], keywords: dict[str, Value], x: Tensor) -> tuple[Dim, ...] | None:
    """The shape that a layer of torch gives."""
    short = name.rpartition(".")[2]
    if short in _LAYERS_SAME:
        return x.shape
    if x.shape is None:
        return None

    def at(i: int, key: str, default: Value = None) -> Value:
        return args[i] if i < len(args) else keywords.get(key, default)

    if short == "Linear":
        return (*x.shape[:-1], dim_of(at(1, "out_features")))
    if short == "Embedding":
        return (*x.shape, dim_of(at(1, "embedding_dim")))
    if short == "Flatten" and len(x.shape) > 1:
        return (x.shape[0], product(x.shape[1:]))
    if short in ("Conv1d", "Conv2d", "Conv3d"):
        rank = int(short[4])
        if len(x.shape) not in (rank + 1, rank + 2):
            return None
        sizes = [
            _windowed(d, at(2, "kernel_size"), at(3, "stride", 1), at(4, "padding", 0), i)
            for i, d in enumerate(x.shape[-rank:])
        ]
        return (*x.shape[: -rank - 1], dim_of(at(1, "out_channels")), *sizes)
    if short in ("MaxPool2d", "AvgPool2d", "MaxPool1d", "AvgPool1d"):
        rank = int(short[-2])
        kernel = at(0, "kernel_size")
        stride = at(1, "stride", kernel)
        sizes = [_windowed(d, kernel, stride, at(2, "padding", 0), i) for i, d in enumerate(x.shape[-rank:])]
        return (*x.shape[:-rank], *sizes)
    if short.startswith("Adaptive") and len(x.shape) > 2:
        rank = int(short[-2])
        size = at(0, "output_size")
        sizes = list(dims_of(size) or (dim_of(size),) * rank)
        return (*x.shape[:-rank], *sizes)
    return None


def _windowed(d: Dim, kernel: Any, stride: Any, padding: Any, i: int) -> Dim:
    values = [one[i] if isinstance(one, (list, tuple)) and i < len(one) else one for one in (kernel, stride, padding)]
    if isinstance(d, Drawn):
        return d
    if not isinstance(d, int) or not all(isinstance(one, int) for one in values) or not values[1]:
        return None
    return int((d + 2 * values[2] - values[0]) // values[1] + 1)
