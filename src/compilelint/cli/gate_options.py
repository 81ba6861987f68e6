"""The options that let only new findings through: `--baseline`, `--update-baseline`, `--diff-base`."""

from __future__ import annotations

from compilelint.cli.options import F, under
from compilelint.cli.terminal import text
from compilelint.keys import key

_GATE = under("Only what is new")

_GATES = (
    _GATE("--baseline", type=text, metavar="FILE", help=key("baseline").help),
    _GATE("--update-baseline", is_flag=True, help="Write the current findings to the baseline."),
    _GATE("--diff-base", type=text, metavar="REV", help="Report only findings on lines changed since this revision."),
)


def gate_options(command: F) -> F:
    """The decorator that adds them."""
    for option in reversed(_GATES):
        command = option(command)
    return command
