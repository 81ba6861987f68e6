"""`tensor.data = other` where `other` is of another dtype: Dynamo swaps the data of fake tensors of one dtype only.

Measured on torch 2.13 and 2.15 on inputs: `.half()`, `.double()`, `.long()` and `.to(torch.float64)` end the graph,
arithmetic on the data and `.float()` of a float tensor do not.
"""

from __future__ import annotations

from compilelint.interp.core.perform import Operation, Use, condition
from compilelint.interp.core.refusals import refusal
from compilelint.syntax import ir
from compilelint.syntax.walk import last_name
from compilelint.torchfacts import Fact
from compilelint.values import Source, Tensor, tensor_arm

_OTHER_DTYPE = "GB0220"  # "Failed to mutate tensor data attribute to different dtype"
_CASTS = frozenset("half bfloat16 double".split())
_DTYPES = frozenset("half float16 bfloat16 double float64".split())


@condition(Operation.SET_ATTRIBUTE, Tensor, names=("data",))
def replaced(use: Use) -> Fact | None:
    """The fact on `owner.data = value`; None where the dtypes may well agree."""
    f, (owner, value) = use.frame, use.operands
    given = tensor_arm(value)
    if given is None or not isinstance(owner, Tensor) or owner.source > Source.BUFFER:
        return None
    both = {owner.dtype or "float", given.dtype}
    differs = bool(given.dtype) and len(both) > 1
    return refusal(f, _OTHER_DTYPE) if differs or _is_cast(f.around.rhs) else None


def _is_cast(expr: ir.AugAssign | ir.Expr | None) -> bool:
    """Whether an expression casts from the usual `torch.float32` to another float dtype."""
    if not isinstance(expr, ir.Call) or not isinstance(expr.func, ir.Attr):
        return False
    if expr.func.name in _CASTS:
        return True
    wanted = [*expr.args, *[value for _, value in expr.keywords]]
    return expr.func.name in ("to", "type") and any(
        isinstance(one, ir.Attr) and last_name(one) in _DTYPES for one in wanted
    )
