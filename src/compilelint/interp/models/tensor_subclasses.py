"""How subclasses of tensors are made: by functions in C that Dynamo does not enter."""

from __future__ import annotations

from typing import Final

from compilelint.interp.core.args import Args
from compilelint.interp.core.frame import Frame
from compilelint.interp.core.refusals import refused
from compilelint.interp.core.registry import model
from compilelint.values import Source, Tensor, Value

_SKIPPED: Final = "GB0007"  # "Attempted to call function marked as skipped"


@model("torch.Tensor._make_wrapper_subclass")
def wrapper(f: Frame, args: Args, pos: int) -> Value:
    """A tensor without data of its own; run under torch 2.13."""
    made = Tensor(source=Source.COMPUTED, origin=f.origin("a tensor of a subclass", pos))
    return refused(f, _SKIPPED, "_make_wrapper_subclass()", (made,), pos, result=made)
