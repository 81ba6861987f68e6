"""Regular expressions that are compiled when they are first used: most runs need a few of seventy.

Compiling them all was a tenth of the time that a lint takes to begin.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    late_pattern = re.compile
else:

    class late_pattern:  # noqa: N801 - called as `re.compile` is
        """Behaves as `re.compile(pattern, flags)`, whose errors come with the first use too."""

        def __init__(self, pattern: str | bytes, flags: int = 0) -> None:
            self._given = pattern, flags

        def __getattr__(self, name: str) -> Any:
            found = getattr(re.compile(*self._given), name)
            setattr(self, name, found)  # the next time it is an attribute like any other
            return found
