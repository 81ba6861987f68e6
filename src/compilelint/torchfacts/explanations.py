"""What torch's explanation of a break names: one id stands for many callables, and the text says which it was."""

from __future__ import annotations

import re

_BUILTIN = re.compile(r"\bbuiltin (?:operator )?`([A-Za-z_][\w.]{0,200})`")


def callables_in(explanation: str) -> tuple[str, ...]:
    """The callables that an explanation names: `print`, `time.time`."""
    return tuple(found[1].rstrip(".") for found in _BUILTIN.finditer(explanation))
