"""The fact for one call that leaves the program, and the event it becomes."""

from __future__ import annotations

from compilelint import events
from compilelint.interp.frame import Args, Frame
from compilelint.interp.models.registry import Shape
from compilelint.model import Confidence
from compilelint.torchfacts import Fact
from compilelint.values import Scalar, Value, resumed, tensor_arm


def finish(
    f: Frame, name: str, receiver: Value | None, args: Args, pos: int, outcome: Fact | None, result: Value
) -> Value:
    """Emit a library call and resume behind it if it ends the graph."""
    if f.silent or f.state is None:
        return result
    f.emit(events.Call(f.site(pos), outcome, name, receiver, tuple(args.positional), args.keywords, result))
    if outcome is not None and f.context.config.breaks(outcome):
        tensor = tensor_arm(receiver) if receiver is not None else None
        f.broken_by(outcome, Confidence.CERTAIN if tensor is None else tensor.confidence)
        return resumed(result)
    return result


def judged(fact: Fact | None, args: Args, receiver: Value | None = None) -> Fact | None:
    """The fact for these arguments."""
    if fact is None or not fact.forms:
        return fact
    found = fact.for_call(Shape(args, receiver))
    if (
        found.mixed
        and not found.breaks
        and any(isinstance(v, Scalar) and v.kind == "bool" for v in args.keywords.values())
    ):
        return found.worst  # a flag that is given but not known, as in `requires_grad=self.training`: one mode breaks
    return found


def is_skipped(f: Frame, name: str) -> bool:
    """Whether Dynamo skips a third-party function whose name says nothing more: compiled, or of a package it shuns."""
    return f.interp.facts.skips_package(name) or f.interp.program.is_compiled(name)
