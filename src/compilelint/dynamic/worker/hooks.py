"""Functions of torch replaced while something is watched, and put back behind it."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any


class Hooks(contextlib.ExitStack):
    """What was replaced is as it was when the block ends. What a torch version lacks is noted in `missing`."""

    def __init__(self, missing: list[str]) -> None:
        super().__init__()
        self._missing = missing

    def replace(self, owner: Any, name: str, make: Callable[[Any], Any]) -> None:
        """Put what `make` makes of an attribute in its place."""
        original = getattr(owner, name, None)
        if original is None:
            self._missing.append(name)
            return
        setattr(owner, name, make(original))
        self.callback(setattr, owner, name, original)
