"""What the arguments of a tensor operation say: its first tensor, a dtype, a device, a dimension, a flag."""

from __future__ import annotations

from compilelint.interp.core.args import Args
from compilelint.interp.core.dtypes import dtype_class
from compilelint.values import (
    Const,
    External,
    Instance,
    Sequence,
    Tensor,
    Value,
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


def plain_kind(value: Value) -> str:
    """ "bool", "int" or "float" for a Python number, "" for anything else."""
    kind = type_name(value)
    return kind if kind in ("bool", "int", "float") else ""
