"""What stderr says where all reports go to files: an exit code of 1 never comes in silence."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from compilelint.cli.terminal import say, shown

if TYPE_CHECKING:
    from compilelint.config import Output


def say_outcome(failures: Iterable[str], outputs: Iterable[Output], quiet: bool) -> None:
    """A line for each failure, and one that says where the reports are; nothing where a report was printed."""
    paths = [one.path for one in outputs]
    if not all(paths):
        return
    for line in failures:
        say(f"error: {line}")
    if not quiet:
        listed = ", ".join(shown(path) for path in paths if path)
        say(f"note: the report is in {listed}")
