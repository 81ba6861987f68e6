"""What Dynamo refuses by a rule of its own, as the registry of graph breaks names it, and the event it becomes.

For constructs that no name in the fact tables stands for: an id says which rule, and a version whose source raises it
no more does not refuse. Each was run on torch 2.13 and 2.15, on both sides of the line.
"""

from __future__ import annotations

from typing import Final

from compilelint import events
from compilelint.interp.core.frame import Frame
from compilelint.torchfacts import Fact
from compilelint.values import UNKNOWN, Instance, Value

_MEASURED: Final = ("2.13", "2.15")


def refusal(f: Frame, gb_id: str, *, skips_frame: bool = False, raises: bool = False, before: str = "") -> Fact | None:
    """The fact that the break of this id happens; None in versions that do not raise it, or not so from `before` on.

    `raises` says that the compilation fails with it.
    """
    entry = f.interp.facts.graph_break(gb_id)
    if entry is None or not entry.live or (before and not older(f, before)):
        return None
    return f.interp.facts.of_entry(gb_id, entry.reason, measured=_MEASURED, skips_frame=skips_frame, raises=raises)


def older(f: Frame, release: str) -> bool:
    """Whether the torch that is asked about is older than a release ("2.15")."""
    major, minor = f.interp.facts.version.split(".")[:2]
    wanted, least = release.split(".")
    return (int(major), int(minor)) < (int(wanted), int(least))


def is_exception(value: Value) -> bool:
    """Whether it is one of Python's own exceptions, made in the region."""
    builtin = isinstance(value, Instance) and value.inside and value.name.startswith("builtins.")
    return builtin and isinstance(value, Instance) and value.name.endswith(("Error", "Exception", "Iteration"))


def refused(
    f: Frame,
    gb_id: str,
    form: str,
    operands: tuple[Value, ...],
    pos: int,
    *,
    result: Value = UNKNOWN,
    skips_frame: bool = False,
    raises: bool = False,
    before: str = "",
) -> Value:
    """The graph ends at a construct, `form` in words; `result` is what it gives."""
    fact = refusal(f, gb_id, skips_frame=skips_frame, raises=raises, before=before)
    if fact is not None and not f.silent and f.state is not None:
        f.emit(events.Syntax(f.site(pos), fact, form, operands))
        f.broken_by(fact, splits=not skips_frame)
    return result
