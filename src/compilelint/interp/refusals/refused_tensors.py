"""Tensors that a graph refuses as what they are: sparse ones from outside, results of another layout, strangers.

Measured on torch 2.13 and 2.15. A sparse tensor that an earlier break or a buffer brings into a graph ends it at its
first use; `out=` takes a contiguous tensor; an operation on an object whose `__torch_function__` gives NotImplemented
ends the graph where the program catches the `TypeError`.
"""

from __future__ import annotations

from collections.abc import Iterable

from compilelint import events
from compilelint.interp.core.args import Args
from compilelint.interp.core.frame import Frame
from compilelint.interp.core.judging import if_judged
from compilelint.interp.core.perform import AUGMENTED, Operation, Use, rule
from compilelint.interp.core.refusals import refusal
from compilelint.interp.refusals import refused_outside
from compilelint.project.classes import ClassInfo
from compilelint.syntax import ir
from compilelint.torchfacts import Fact
from compilelint.values import UNKNOWN, Object, OriginKind, Sequence, Source, Tensor, Value

_SPARSE = "GB0015"  # "Attempted to wrap sparse Tensor"
_OUT = "GB0242"  # "Attempted to call op with non-contiguous `out=` tensor"
_OUT_LIST = "GB0241"  # "Attempted to call op with non-contiguous `out=` list of tensors"
_NOT_IMPLEMENTED = "GB0000"  # "All __torch_function__ overrides returned NotImplemented due to TypeError"
_TURNED = frozenset({"t", "transpose", "permute", "T", "mT", "swapaxes", "movedim"})


def made(f: Frame, name: str, result: Value, pos: int) -> Value:
    """What a torch function gives: `result`, or a sparse tensor where its name says so and nothing more is known."""
    if result is not UNKNOWN or not name.startswith("torch.sparse_") or not name.endswith("_tensor"):
        return result
    return Tensor(layout="sparse", origin=f.origin(name, pos, kind=OriginKind.RESULT))


@if_judged
def met(f: Frame, op: str, args: Args) -> Fact | None:
    """The fact on a call of a torch function with these arguments; `op` is its last name."""
    out = args.keywords.get("out")
    if isinstance(out, Tensor) and _is_turned(out):
        return refusal(f, _OUT)
    several = out.items or () if isinstance(out, Sequence) else ()
    if op == "sort":  # which lays its results out as what it sorts
        several = tuple(args.positional[:1]) if several else ()
    if any(isinstance(one, Tensor) and (_is_turned(one) or one.layout == "strided") for one in several):
        return refusal(f, _OUT_LIST)
    if "try" in f.around.blocks and any(map(_declines, args.all())):
        return refusal(f, _NOT_IMPLEMENTED)
    return refused_outside.met(f, args.all()) or sparse_met(f, args.all())


def sparse_met(f: Frame, values: Iterable[Value]) -> Fact | None:
    """The fact on the use of values, where one is a sparse tensor that comes into the graph from outside."""
    found = any(isinstance(v, Tensor) and v.layout == "sparse" and _comes_sparse(v) for v in values)
    return refusal(f, _SPARSE) if found and not f.modes.silent else None


@rule(Operation.BINARY, Tensor)
def operated(use: Use) -> None:
    """An operator on a sparse tensor."""
    f = use.frame
    fact = None if use.name in AUGMENTED else sparse_met(f, use.operands)
    if fact is not None:
        f.emit(events.Syntax(f.site(use.pos), fact, f"{use.name} of a sparse tensor", use.operands))
        f.broken_by(fact, splits=False)


def _comes_sparse(t: Tensor) -> bool:
    """Whether it is as what made it sparse left it, and crosses into the graph."""
    made = t.origin.what.rpartition(".")[2] if t.origin is not None else ""
    return t.source is Source.BUFFER or (t.source is Source.INPUT and "sparse" in made)


def _is_turned(t: Tensor) -> bool:
    """Whether the tensor is another one with its dimensions in another order."""
    origin = t.origin
    if origin is None or origin.kind not in (OriginKind.RESULT, OriginKind.ATTRIBUTE):
        return False
    return origin.what.rpartition(".")[2] in _TURNED


def _declines(value: Value) -> bool:
    """Whether it is an object that answers every torch function with NotImplemented."""
    method = (
        value.cls.method("__torch_function__")
        if isinstance(value, Object) and isinstance(value.cls, ClassInfo)
        else None
    )
    body = () if method is None else method.node.body
    last = body[-1] if body else None
    return isinstance(last, ir.Return) and isinstance(last.value, ir.Name) and last.value.id == "NotImplemented"
