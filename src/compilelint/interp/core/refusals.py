"""What Dynamo refuses by a rule of its own, as the registry of graph breaks names it, and the event it becomes.

For constructs that no name in the fact tables stands for. `torchfacts/data/refusals.json` says of each, by version,
whether it is refused, with which id, and whether the frame is left to Python or the compilation fails; code only says
when a program comes to such a construct.
"""

from __future__ import annotations

from compilelint import events
from compilelint.interp.core.frame import Frame
from compilelint.interp.core.outcomes import finish
from compilelint.interp.core.perform import Use
from compilelint.torchfacts import Fact
from compilelint.values import UNKNOWN, Instance, Tensor, Value


def refusal(f: Frame, key: str) -> Fact | None:
    """The fact that a construct of `refusals.json` ends the graph; None in versions that take it."""
    return f.interp.facts.refusal(key)


def is_exception(value: Value) -> bool:
    """Whether it is one of Python's own exceptions, made in the region."""
    builtin = isinstance(value, Instance) and value.inside and value.name.startswith("builtins.")
    return builtin and isinstance(value, Instance) and value.name.endswith(("Error", "Exception", "Iteration"))


def refused(f: Frame, key: str, form: str, operands: tuple[Value, ...], pos: int, *, result: Value = UNKNOWN) -> Value:
    """The graph ends at a construct of `refusals.json`, `form` in words; `result` is what it gives."""
    fact = refusal(f, key)
    if fact is not None and not f.modes.silent and f.state is not None:
        f.emit(events.Syntax(f.site(pos), fact, form, operands))
        f.broken_by(fact, splits=not fact.verdict.skips_frame)
    return result


def call_refused(use: Use, key: str, result: Value = UNKNOWN) -> Value | None:
    """`result` where a call of a library function ends the graph by a row of `refusals.json`; None for no key."""
    fact = refusal(use.frame, key) if key else None
    return None if fact is None else finish(use.frame, use.name, None, use.args, use.pos, fact, result)


def attribute_refused(use: Use, key: str) -> Value | None:
    """The value where reading an attribute of a tensor, or of an array, ends the graph."""
    f, (tensor,) = use.frame, use.operands
    fact = refusal(f, key)
    if fact is None or not isinstance(tensor, Tensor):
        return None
    full = f"numpy.ndarray.{use.name}" if tensor.array else f"torch.Tensor.{use.name}"
    f.emit(events.Attribute(f.site(use.pos), fact, full, tensor, False))
    f.broken_by(fact, tensor.confidence)
    return UNKNOWN
