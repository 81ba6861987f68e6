"""Tensors made from sizes, numbers and lists: `torch.zeros(2, 3)`, `torch.tensor([1.0])`, `x.new_empty(0)`."""

from __future__ import annotations

from compilelint.interp.frame import Args, Frame
from compilelint.interp.models.call_arguments import device_class, dtype_argument, first_tensor, plain_kind
from compilelint.model import Confidence
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
    type_name,
)


def table(rows: dict[str, str]) -> dict[str, str]:
    """`{rule: "names"}` turned around."""
    return {name: rule for rule, names in rows.items() for name in names.split()}


FACTORIES = table(
    {
        "float": "zeros ones empty rand randn eye linspace logspace hann_window hamming_window blackman_window",
        "int": "randint randperm triu_indices tril_indices",
        "number": "arange full range",
    }
)
LITERALS = frozenset({"tensor", "as_tensor", "asarray", "from_numpy", "scalar_tensor", "frombuffer", "empty_strided"})
NEW = frozenset({"new_zeros", "new_ones", "new_empty", "new_full", "new"})
_ONE_D = frozenset({"arange", "linspace", "logspace", "randperm", "range"})


def made(f: Frame, op: str, args: Args, pos: int) -> Tensor:
    """A tensor made in the region: from sizes (its data is new) or from Python numbers and lists (a literal)."""
    dtype = dtype_argument(args)
    rank: int | None = None
    source = Source.COMPUTED
    inner = first_tensor(args)
    if op in LITERALS:
        first = args.get(0, "data")
        source = Source.COMPUTED if inner is not None else Source.LITERAL
        tensor = tensor_arm(first) if first is not None else None
        if tensor is not None:
            rank, dtype = tensor.rank, dtype or tensor.dtype
        elif isinstance(first, (Const, Scalar)):
            rank = 0
            kind = type_name(first)
            dtype = dtype or (kind if kind in ("bool", "int", "float") else "")
        elif isinstance(first, Sequence):
            kinds = {plain_kind(v) for v in first.items or (first.element,)}
            dtype = dtype or (kinds.pop() if len(kinds) == 1 else "")
            rank = 1 if first.items is None or not any(isinstance(i, Sequence) for i in first.items) else None
    elif op in _ONE_D:
        rank = 1
        numbers = [v for v in args.positional if isinstance(v, (Const, Scalar))]
        if op == "arange" and not dtype:
            kinds = {type_name(v) for v in numbers}
            dtype = "float" if "float" in kinds else "int" if kinds <= {"int", "bool"} and numbers else ""
    else:
        rank = _rank_of_sizes(op, args)
    if op in ("full", "new_full") and not dtype:
        dtype = plain_kind(args.get(1, "fill_value") or UNKNOWN)
    family = FACTORIES.get(op)
    if not dtype and family in ("float", "int"):
        dtype = family
    confidence = Confidence.CERTAIN if inner is None else inner.confidence
    device = args.keywords.get("device")
    home = _home(op, args.get(0, "data") or UNKNOWN)
    return Tensor(
        dtype,
        rank,
        source,
        "contiguous",
        device_class(device) if device is not None else home,
        confidence=confidence,
        origin=f.origin(
            op,
            pos,
            None if inner is None or op not in LITERALS else inner.origin,
            OriginKind.EMPTY if _holds_nothing(op, args) else OriginKind.MADE,
        ),
    )


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


def _rank_of_sizes(op: str, args: Args) -> int | None:
    if op == "eye":
        return 2
    sizes = args.positional[2:3] if op == "randint" and len(args.positional) > 2 else args.positional
    if op in ("full", "new_full", "randint"):
        sizes = args.positional[-1:] if op == "randint" else args.positional[:1]
    size = args.keywords.get("size")
    if size is not None and not sizes:
        sizes = [size]
    if args.star is not None:
        return None
    if len(sizes) == 1 and isinstance(sizes[0], Sequence):
        return None if sizes[0].items is None else len(sizes[0].items)
    return len(sizes) if sizes and all(isinstance(s, (Const, Scalar, Tensor)) for s in sizes) else None
