"""Tensors made from sizes, numbers and lists: `torch.zeros(2, 3)`, `torch.tensor([1.0])`, `x.new_empty(0)`."""

from __future__ import annotations

from compilelint.interp.core.args import Args
from compilelint.interp.core.frame import Frame
from compilelint.interp.kinds.call_arguments import device_class, dtype_argument, first_tensor
from compilelint.model import Confidence
from compilelint.model.sizes import Size, constant
from compilelint.values import (
    UNKNOWN,
    Const,
    OriginKind,
    Scalar,
    Sequence,
    Source,
    Tensor,
    Value,
    arms,
    tensor_arm,
)

# They take what already holds numbers, and keep the device of what is a tensor; the rest is measured.
LITERALS = frozenset({"tensor", "as_tensor", "asarray", "from_numpy", "scalar_tensor", "frombuffer", "empty_strided"})
# Methods that make a tensor of the kind and on the device of the one they are called on, holding nothing of it.
NEW = frozenset({"new_zeros", "new_ones", "new_empty", "new_full", "new"})


def made(f: Frame, op: str, args: Args, pos: int) -> Tensor:
    """A tensor made in the region: from sizes (its data is new) or from Python numbers and lists (a literal)."""
    inner = first_tensor(args)
    of_numbers = op in LITERALS and inner is None
    given = tensor_arm(args.get(0, "data") or UNKNOWN) if op in LITERALS else None
    device = args.keywords.get("device")
    return Tensor(
        dtype_argument(args) or ("" if given is None else given.dtype),
        None if given is None else given.rank,
        Source.LITERAL if of_numbers else Source.COMPUTED,
        "contiguous",
        device_class(device) if device is not None else _home(op, args.get(0, "data") or UNKNOWN),
        confidence=Confidence.CERTAIN if inner is None else inner.confidence,
        origin=f.origin(
            op,
            pos,
            None if inner is None or op not in LITERALS else inner.origin,
            OriginKind.EMPTY if _holds_nothing(op, args) else OriginKind.MADE,
        ),
    )


_SIZED = frozenset({"zeros", "ones", "empty", "rand", "randn", "arange", *NEW})


def of_one_size(op: str, args: Args, result: Value) -> Value:
    """A tensor of one dimension with its size, where one number or a plain list gives it."""
    if not isinstance(result, Tensor) or result.rank != 1 or result.sizes is not None or args.star is not None:
        return result
    given = args.get(0, "size")
    number: Size | None = None
    if op in _SIZED and len(args.positional) == 1:
        if isinstance(given, Const) and type(given.value) is int:
            number = constant(given.value)
        elif isinstance(given, Scalar):
            number = given.number
    elif op in ("tensor", "as_tensor") and isinstance(given, Sequence) and given.items is not None:
        number = constant(len(given.items))
    return result if number is None else result.but(sizes=(number,))


def _home(op: str, data: Value) -> str:
    """The device where a tensor is made that is asked for none: of a tensor, where that lies; else the host."""
    given = tensor_arm(data) if op in LITERALS else None
    if given is not None and not given.array:
        return given.device
    return "" if op in ("as_tensor", "asarray") and UNKNOWN in arms(data) else "cpu"


def _holds_nothing(op: str, args: Args) -> bool:
    """`torch.empty(0)`, `x.new_empty((0,))`, `x.new()`, `torch.tensor([])`."""
    first = args.get(0, "size")
    if op in ("tensor", "as_tensor"):
        return isinstance(first, Sequence) and first.items == ()
    if op == "new" and first is None:
        return True
    if op not in ("empty", "zeros", "ones", *NEW):
        return False
    sizes = first.items if isinstance(first, Sequence) and first.items is not None else args.positional
    return any(isinstance(v, Const) and v.value == 0 for v in sizes)
