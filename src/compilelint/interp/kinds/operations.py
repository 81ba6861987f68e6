"""Results of tensor operations: `torch.X`, `torch.nn.functional.X`, `torch.linalg.X`, `Tensor.X`, `numpy.X` alike.

How many tensors come back, their dtype class, rank and order in memory are facts (`measured`); a name of which none was
measured has no result here. What is added is what no measurement on the host can show: the device, where the tensor
comes from, and how views and permutations of sizes that are not known lie in memory.
"""

from __future__ import annotations

from compilelint.interp.core.args import Args
from compilelint.interp.core.frame import Frame
from compilelint.interp.core.measured import corrected
from compilelint.interp.devices.views import lying
from compilelint.interp.kinds.call_arguments import device_class, dtype_argument, first_tensor
from compilelint.interp.kinds.making import LITERALS, NEW, made, of_one_size
from compilelint.model import Confidence
from compilelint.values import OriginKind, Source, Tensor, Value, tensor_arm

_DEVICES = ("cuda", "cpu", "xpu", "mps")


def op_result(f: Frame, op: str, args: Args, pos: int, receiver: Tensor | None, name: str) -> Value | None:
    """The result of operation `op` (bare name), None if nothing is known of it.

    `receiver` is the tensor of a method call; for a function it is the first tensor among the arguments. `name` is the
    dotted name that results are measured under.
    """
    facts = f.interp.facts
    if receiver is not None and op in _DEVICES:
        origin = f.origin(f".{op}", pos, receiver.origin, OriginKind.RESULT)
        return receiver.but(source=Source.COMPUTED, device=op, origin=origin)
    made_here = _made(f, op, args, pos, receiver, name)
    if made_here is not None:
        return of_one_size(op, args, corrected(facts, name, args, receiver, made_here))
    if not facts.results.shapes_of(name):
        return None
    first = receiver if receiver is not None else first_tensor(args) or Tensor()
    at = 0 if receiver is not None else 1
    # A function by its bare name: `torch.nn.functional.pad` is no `torch.pad`, and both come here as `pad`.
    what = f".{op}" if receiver is not None else name if name.startswith("numpy.") else op
    origin = f.origin(what, pos, first.origin, OriginKind.RESULT)
    # A function of torch returns tensors whatever we think of its argument; a method is only as sure as its receiver.
    confidence = first.confidence if receiver is not None else Confidence.CERTAIN
    layout, sizes = lying(op, first, args, at)
    unmeasured = Tensor(
        device=_device(first, args),
        layout=layout or "",
        confidence=confidence,
        origin=origin,
        array=first.array,
        sizes=sizes,
        cls=first.cls,
    )
    return corrected(facts, name, args, receiver, unmeasured, placed=layout is not None)


def _made(f: Frame, op: str, args: Args, pos: int, receiver: Tensor | None, name: str) -> Tensor | None:
    """What is made from sizes, numbers and lists; None for what works on tensors."""
    if receiver is not None:
        if op == "new_tensor":
            return made(f, "tensor", args, pos).but(device=receiver.device)
        if op in NEW:
            return made(f, op, args, pos).but(dtype=dtype_argument(args) or receiver.dtype, device=receiver.device)
        return None
    if op in LITERALS and name.count(".") == 1:
        return made(f, op, args, pos)
    results = f.interp.facts.results
    return made(f, op, args, pos) if results.makes(name) or results.makes(_of_torch(name)) else None


def _of_torch(name: str) -> str:
    """The function of torch that a NumPy function is traced as: NumPy's takes arrays for sizes, so it says less."""
    return name.replace("numpy.", "torch.", 1)


def _device(first: Tensor, args: Args) -> str:
    """The device of the result: the one asked for, or the first tensor's unless another is known to differ."""
    asked = args.keywords.get("device")
    if asked is not None:
        return device_class(asked)
    if first.device:
        for value in args.positional:
            other = tensor_arm(value)
            if other is not None and other.device != first.device:
                return ""
    return first.device
