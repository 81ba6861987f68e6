"""What Dynamo refuses by a rule of its own, as the registry of graph breaks names it, and the event it becomes.

For constructs that no name in the fact tables stands for. `torchfacts/data/refusals.json` says of each, by version,
whether it is refused, with which id, and whether the frame is left to Python or the compilation fails; code only says
when a program comes to such a construct.
"""

from __future__ import annotations

from compilelint import events
from compilelint.interp.core.frame import Frame
from compilelint.torchfacts import Fact
from compilelint.values import UNKNOWN, Instance, Value


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
