"""Builtins that read the data of a tensor: `int(x)`, `sorted` by keys that are tensors."""

from __future__ import annotations

from compilelint import events
from compilelint.interp.core.args import Args
from compilelint.interp.core.frame import Frame
from compilelint.torchfacts import Fact, SyntaxForm
from compilelint.values import NONE, UNKNOWN, Sequence, Tensor, Value, tensor_arm


def builtin_on_tensor(
    f: Frame, form: SyntaxForm, name: str, tensor: Tensor, args: Args, pos: int, result: Value
) -> Value:
    """Emit a builtin applied to a tensor."""
    outcome = f.interp.facts.syntax(form)
    emit_call(f, outcome, name, tensor, args, pos, result)
    return result


def emit_call(f: Frame, outcome: Fact | None, name: str, tensor: Tensor, args: Args, pos: int, result: Value) -> None:
    """Emit a call of a builtin on a tensor, which ends the graph where the fact says so."""
    f.emit(events.Call(f.site(pos), outcome, name, tensor, tuple(args.positional), args.keywords, result))
    f.broken_by(outcome, tensor.confidence)


def compare_keys(f: Frame, element: Value, args: Args, name: str, pos: int) -> None:
    """Emit a sort whose keys are tensors; `element` is one of the items, `key=` may stand among the arguments."""
    key = args.keywords.get("key")
    compared = f.interp.call(f, key, Args([element]), pos) if key is not None and key is not NONE else element
    if isinstance(compared, Sequence) and compared.kind == "tuple" and compared.items:
        compared = next((v for v in compared.items if tensor_arm(v) is not None), compared)
    tensor = tensor_arm(compared)
    if tensor is not None:
        builtin_on_tensor(f, SyntaxForm.SORTED, name, tensor, args, pos, UNKNOWN)
