"""Objects of Python's own classes that have no model: which kind the measured table has for them."""

from __future__ import annotations

from typing import Final

from compilelint.interp.core.frame import Frame
from compilelint.values import Instance, Value

_BUFFERS: Final = ("bytearray", "memoryview")


def kind_made(f: Frame, name: str) -> Value | None:
    """What a call of a class of Python gives, where nothing but its kind counts."""
    bare = name.removeprefix("builtins.")
    return Instance(bare, inside=f.modes.inside) if bare in _BUFFERS or (bare == "super" and not f.modes.host) else None
