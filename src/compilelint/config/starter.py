"""The first configuration of a project: every key as a comment, and the targets that were found.

What is written can be read back: a test parses it, and parses it again with every comment taken off.
"""

from __future__ import annotations

import json
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass

from compilelint.keys import KEYS

NAME = "compilelint.toml"
_WIDEST = 100
# Keys that need something of the project's own, or another file, and would only be noise in a first one.
_LATER = frozenset({"extend", "extend-select", "targets", "force-exclude", "python"})


@dataclass(frozen=True, slots=True)
class Row:
    """A target to write. Without `inputs` it is written as a comment, with the reason in `note`.

    `model` is `pkg.mod:Name`; `required` are what its constructor needs, `names` the arguments that inputs must be
    given for. `breaks` counts the graph breaks that were seen. `guessed_from` is the layer that inputs were guessed
    from by reading; empty where they ran. `ran` says that it ran, with inputs of its factory's or found again;
    `ways` counts the ways that were tried to build it.
    """

    model: str
    names: tuple[str, ...] = ()
    inputs: tuple[str, ...] = ()
    note: str = ""
    required: tuple[str, ...] = ()
    breaks: int = 0
    guessed_from: str = ""
    ran: bool = False
    ways: int = 0


def starter(rows: Sequence[Row], more: int = 0) -> str:
    """The text of a `compilelint.toml`; `more` models were found than have a row."""
    lines = [
        "# compilelint: which lines keep torch.compile from capturing one graph.",
        "# `compilelint config` shows the settings in effect and where each comes from; a line that begins with `# `",
        "# and a key is a default to change.",
    ]
    for key in KEYS:
        if key.name not in _LATER:
            lines += ["", f"# {key.meaning}; without it: {key.default}", f"# {key.name} = {key.example}"]
    lines += ["", "# What `compilelint verify` runs under the real TorchDynamo. `max-breaks` is the budget of each."]
    for row in rows:
        lines += ["", *_target(row)]
    if more:
        lines += ["", f"# Models found that are not written here: {more}."]
    if not rows:
        lines += ["", *_target(Row("pkg.mod:Model", ("x",)))]
    return "\n".join(lines) + "\n"


def tables(rows: Sequence[Row], header: str = "[[targets]]") -> str:
    """The tables of targets alone, to add to a configuration that is there."""
    return "\n\n".join("\n".join(_target(row)) for row in rows).replace("[[targets]]", header)


def _target(row: Row) -> list[str]:
    given = ", ".join(map(_toml_text, row.inputs))
    table = ["[[targets]]", f"model = {_toml_text(row.model)}"]
    if row.guessed_from:
        return [*table, f"inputs = [{given}]  # guessed from {_note(row.guessed_from)}, not run yet"]
    if row.inputs or row.ran:
        today = f"  # {row.breaks} today" if row.breaks else ""
        inputs = [f"inputs = [{given}]"] if row.inputs else []
        return [*table, *inputs, f"max-breaks = 0{today}"]
    shapes = ", ".join(_toml_text(f"{name}=2x8") for name in row.names) or '"2x8"'
    note = f": {_note(row.note)}" if row.note else ""
    note += f" (the last of {row.ways} ways)" if row.ways > 1 else ""
    built = "built from and " if row.required else ""
    head = f"Not run yet{note}. Write what it is {built}called with, and uncomment it."
    if row.required:
        head = (
            f"Its constructor needs {_note(', '.join(row.required))}. {head} A function that returns it will do, too."
        )
        table.append(f"arguments = {{ {', '.join(f'{_spelled_key(one)} = 8' for one in row.required)} }}")
    words = textwrap.wrap(head, _WIDEST, break_long_words=False, break_on_hyphens=False)
    return [f"# {line}" for line in (*words, *table, f"inputs = [{shapes}]")]


def _spelled_key(name: str) -> str:
    """A name as TOML's tables spell it: bare, or quoted where it is no ASCII."""
    return name if name.isascii() else _toml_text(name)


def _toml_text(word: str) -> str:
    """A text of TOML; JSON's escapes are TOML's too."""
    return json.dumps(word, ensure_ascii=False).replace("\x7f", "\\u007f")


def _note(note: str) -> str:
    """Words of another program in a comment: on one line, without control characters, and short."""
    shown = "".join(character if character.isprintable() else " " for character in note)
    return " ".join(shown.split())[:200].rstrip(".")
