"""One deliberate fault."""

from __future__ import annotations

from typing import NamedTuple


class Fault(NamedTuple):
    """`text` occurs once in `path`, below `src/compilelint`; `instead` takes its place; `why` says what goes wrong.

    Faults of one `round` were chosen together; tests for those that it missed were written before the next one.
    """

    path: str
    text: str
    instead: str
    why: str
    round: int

    @property
    def tests(self) -> str:
        """The test folder that must catch it."""
        return f"tests/{self.path.partition('/')[0]}"
