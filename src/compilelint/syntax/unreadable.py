"""Why a file could not be read: a value that becomes a CL9xx finding, never an exception on its way up."""

from __future__ import annotations

from typing import Literal

from compilelint.model.slotted import dataclass

Kind = Literal[
    "missing",
    "permission",
    "not-a-file",
    "too-large",
    "io",
    "link",
    "encoding",
    "syntax",
    "too-deep",
    "notebook",
    "newer",
]


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A file, or a piece of source, that is out of reach.

    `line` and `column` are 1-based (columns in code points) and are 1, 1 where the file has no better place;
    `message` is one sentence part without a full stop, ready to stand behind "cannot read x.py: ".
    """

    kind: Kind
    path: str
    message: str
    line: int = 1
    column: int = 1
