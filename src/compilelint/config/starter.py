"""The first configuration of a project: every key as a comment, and the targets that were found.

What is written can be read back: a test parses it, and parses it again with every comment taken off.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from compilelint.config.keys import KEYS

NAME = "compilelint.toml"
# Keys that need something of the project's own, or another file, and would only be noise in a first one.
_LATER = frozenset({"extend", "extend-select", "targets", "force-exclude", "python"})


@dataclass(frozen=True, slots=True)
class Row:
    """A target to write. Without `inputs` it is written as a comment, with the reason in `note`.

    `model` is `pkg.mod:Name`; `names` are the arguments that inputs must be given for.
    """

    model: str
    names: tuple[str, ...] = ()
    inputs: tuple[str, ...] = ()
    note: str = ""


def starter(rows: Sequence[Row]) -> str:
    """The text of a `compilelint.toml`."""
    lines = [
        "# compilelint: which lines keep torch.compile from capturing one graph.",
        "# `compilelint config` shows what holds and who said it; a line that begins with `# ` and a key is a default",
        "# to change.",
    ]
    for key in KEYS:
        if key.name not in _LATER:
            lines += ["", f"# {key.meaning}; without it: {key.default}", f"# {key.name} = {key.example}"]
    lines += ["", "# What `compilelint verify` runs under the real TorchDynamo. `max-breaks` is the budget of each."]
    for row in rows:
        lines += ["", *_target(row)]
    if not rows:
        lines += ["", *_target(Row("pkg.mod:Model", ("x",)))]
    return "\n".join(lines) + "\n"


def _target(row: Row) -> list[str]:
    given = ", ".join(map(_text, row.inputs))
    table = ["[[targets]]", f"model = {_text(row.model)}"]
    if row.inputs:
        return [*table, f"inputs = [{given}]", "max-breaks = 0"]
    shapes = ", ".join(_text(f"{name}=2x8") for name in row.names) or '"2x8"'
    note = f": {_plain(row.note)}" if row.note else ""
    head = f"# Not run yet{note}. Write what it is called with, and take off the `# `."
    return [head, *(f"# {line}" for line in (*table, f"inputs = [{shapes}]"))]


def _text(word: str) -> str:
    """A text of TOML; JSON's escapes are TOML's too."""
    return json.dumps(word, ensure_ascii=False).replace("\x7f", "\\u007f")


def _plain(note: str) -> str:
    """Words of another program in a comment: on one line, without control characters, and short."""
    shown = "".join(character if character.isprintable() else " " for character in note)
    return " ".join(shown.split())[:200].rstrip(".")
