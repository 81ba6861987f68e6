"""What the arguments of a tensor operation say: its first tensor, a dtype, a device, a dimension, a flag."""

from __future__ import annotations

from compilelint.interp.core.args import Args
from compilelint.interp.core.dtypes import dtype_class
from compilelint.values import (
    UNKNOWN,
    Const,
    External,
    Instance,
    Sequence,
    Tensor,
    Value,
    is_none,
    join_all,
    tensor_arm,
    type_name,
)


def first_tensor(args: Args) -> Tensor | None:
    """The first tensor among the arguments, or inside a list that is one (`torch.cat([a, b])`)."""
    for value in args.all():
        tensor = tensor_arm(value)
        if tensor is not None:
            return tensor
        if isinstance(value, Sequence):
            inside = join_all(value.items) if value.items is not None else value.element
            tensor = tensor_arm(inside)
            if tensor is not None:
                return tensor.but(rank=None)
    return None


def has_unknown(args: Args) -> bool:
    """Whether an argument is something of which nothing is known."""
    return any(v is UNKNOWN for v in args.all())


def dtype_argument(args: Args) -> str:
    """The class of the `dtype` argument, "" if none is given or known."""
    value = args.keywords.get("dtype")
    return dtype_class(value.name) if isinstance(value, External) else ""


def device_class(value: Value) -> str:
    """ "cpu", "cuda", ... for a known device, "" for any other."""
    if isinstance(value, Const) and isinstance(value.value, str):
        return value.value.partition(":")[0]
    if isinstance(value, Instance) and value.name == "torch.device" and value.state:
        return device_class(value.state[0][1])
    return ""


def axis_of(args: Args, at: int) -> Value | None:
    """The `dim` argument; None if it is left out or None."""
    value = args.get(at, "dim")
    if value is None:
        value = args.keywords.get("axis")
    return None if value is None or is_none(value) else value


def keeps_dim(args: Args, at: int) -> bool:
    """Whether a reduced dimension stays, as one of length 1."""
    value = args.get(at, "keepdim")
    if value is None:
        value = args.keywords.get("keepdims")
    return value is not None and not (isinstance(value, Const) and value.value is False)


def is_true(value: Value | None) -> bool:
    """Whether it is the literal True."""
    return isinstance(value, Const) and value.value is True


def plain_kind(value: Value) -> str:
    """ "bool", "int" or "float" for a Python number, "" for anything else."""
    kind = type_name(value)
    return kind if kind in ("bool", "int", "float") else ""
