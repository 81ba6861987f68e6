"""The file of factories that `init --verify` writes: those that ran, one function a model."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

NAME = "compilelint_targets.py"
_HEAD = '''"""How `verify` builds the models of this project: written by `compilelint init --verify`, yours to edit.

A factory returns a model, or a model and its inputs: `return model, (x,)` or `return model, (x,), {"mask": mask}`.
"""

'''


def text_of(functions: Iterable[str], folders: Sequence[str], base: str = "") -> str:
    """The file's text. `folders` go on `sys.path`; `base` is the project's folder where the file lies elsewhere."""
    head = _HEAD
    if folders:
        here = f"Path({base!r})" if base else "Path(__file__).parent"
        head += "import sys\nfrom pathlib import Path\n\n"
        head += "".join(f"sys.path.insert(0, str({here} / {one!r}))\n" for one in sorted(folders)) + "\n"
    return head.rstrip("\n") + "\n" + "".join(f"\n\n{one}" for one in functions)


def names_for(references: Sequence[str]) -> list[str]:
    """A function's name for each `pkg.mod:Class`, in snake case; where two are alike, with their modules."""
    short = [_snake(one.rpartition(":")[2]) for one in references]
    long = [_snake(re.sub(r"\W+", "_", one.replace(".py:", ":"))) for one in references]
    return [name if short.count(name) == 1 else full for name, full in zip(short, long, strict=True)]


def _snake(name: str) -> str:
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name).lower()
    return re.sub(r"\W+|_+", "_", words).strip("_") or "model"
