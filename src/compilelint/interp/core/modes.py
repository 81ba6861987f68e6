"""How a frame runs, as one value: judged, only for its values, or as a host; and which rules its body is under.

Modes are made once each, so that keys of summaries compare and hash them by identity. A call inherits them in one
place (`for_call`). Does not belong here: what surrounds one line of a frame (`surroundings`).
"""

from __future__ import annotations

import enum
from functools import cache
from typing import Any, Final


class Run(enum.Enum):
    """What a frame is run for: to be judged, for its values only, or as plain Python around compiled code."""

    TRACED = "traced"
    SILENT = "silent"
    HOST = "host"


class Modes:
    """`in_body`: of a function that `checkpoint` calls (`checkpoint_bodies`), `is_entry`: that very function;
    `in_operator`: in the body of a higher-order operator (`operator_bodies`). `enters_body` and `enters_operator` say
    that the function called next is such a body; `gradients` is off within `torch.no_grad()` of this very frame.
    Nothing of a `silent` frame is judged, a `host` among them; what others make is made `inside` the region.
    """

    __slots__ = (
        "enters_body",
        "enters_operator",
        "for_call",
        "gradients",
        "host",
        "in_body",
        "in_operator",
        "inside",
        "is_entry",
        "run",
        "silenced",
        "silent",
    )

    run: Run
    silent: bool
    host: bool
    inside: bool
    in_body: bool
    is_entry: bool
    in_operator: bool
    enters_body: bool
    enters_operator: bool
    gradients: bool
    silenced: Modes
    """The same, with nothing judged."""
    for_call: Modes
    """How a function runs that is called from here."""

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"modes do not change: `but({name}=...)` gives others")

    def but(self, **changes: bool) -> Modes:
        """The same with some fields changed."""
        return _made(self.run, *(changes.get(name, getattr(self, name)) for name in _FLAGS))


_FLAGS: Final = ("in_body", "is_entry", "in_operator", "enters_body", "enters_operator", "gradients")


@cache
def _made(run: Run, *flags: bool) -> Modes:
    made = Modes()
    values: dict[str, Any] = dict(zip(_FLAGS, flags, strict=True))
    values |= {"run": run, "silent": run is not Run.TRACED, "host": run is Run.HOST, "inside": run is Run.TRACED}
    for name, value in values.items():
        object.__setattr__(made, name, value)
    inherited = _inherited(made)
    object.__setattr__(made, "for_call", made if inherited == flags else _made(run, *inherited))
    silenced = made if run is not Run.TRACED else _made(Run.SILENT, *flags)
    object.__setattr__(made, "silenced", silenced)
    return made


def _inherited(modes: Modes) -> tuple[bool, ...]:
    """The flags of a function that is called: it is in the bodies that its caller is in, and enters none."""
    in_body, in_operator = modes.enters_body or modes.in_body, modes.enters_operator or modes.in_operator
    return in_body, modes.enters_body, in_operator, False, False, True


_PLAIN = (False, False, False, False, False, True)
TRACED: Final = _made(Run.TRACED, *_PLAIN)
SILENT: Final = _made(Run.SILENT, *_PLAIN)
HOST: Final = _made(Run.HOST, *_PLAIN)
