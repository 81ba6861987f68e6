"""What the sizes of a tensor say of it where a program takes them apart."""

from __future__ import annotations

from compilelint.interp.frame import Frame
from compilelint.syntax import ir
from compilelint.values import Tensor


def unpacked(f: Frame, target: ir.Expr, value: ir.Expr) -> None:
    """`b, n, d = x.shape` and `= x.size()`: behind it `x` has three dimensions, since the line raises otherwise."""
    if not isinstance(target, ir.Display) or f.state is None or any(isinstance(one, ir.Star) for one in target.items):
        return
    owner = _measured(value)
    if not isinstance(owner, ir.Name):
        return
    tensor = f.state.names.get(owner.id)
    if isinstance(tensor, Tensor) and tensor.rank is None:
        f.state.bind(owner.id, tensor.but(rank=len(target.items)))


def _measured(value: ir.Expr) -> ir.Expr | None:
    """`x` of `x.shape` and `x.size()`."""
    if isinstance(value, ir.Attr) and value.name == "shape":
        return value.value
    if isinstance(value, ir.Call) and not value.args and isinstance(value.func, ir.Attr) and value.func.name == "size":
        return value.func.value
    return None
