"""A line of a small program, and what `why` answers about it: the line is marked `# here`."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent
from typing import Any

from compilelint.config import Options
from compilelint.report.explanation import Explanation
from compilelint.session.commands.why import why

HEAD = "import torch\nfrom torch import nn, Tensor\n\n\n"


def module(*lines: str, params: str = "self, x: Tensor", init: str = "pass", more: str = "") -> str:
    """A module whose `forward` holds these lines."""
    body = "\n        ".join(lines)
    return (
        f"class Net(nn.Module):\n    def __init__(self, on=False, config=None):\n        super().__init__()\n"
        f"        {init}\n\n    def forward({params}):\n        {body}\n{more}"
    )


def explained(folder: Path, text: str, others: dict[str, str] | None = None, **options: Any) -> Explanation:
    """The explanation of the marked line of `app.py`, which is linted with the other files of the folder."""
    program = HEAD + dedent(text)
    for name, content in {"app.py": program, **(others or {})}.items():
        (folder / name).write_text(content, encoding="utf-8")
    (line,) = [number for number, one in enumerate(program.splitlines(), 1) if "# here" in one]
    given = {"paths": (str(folder),), "torch_version": "2.13.0", **options}
    return why(Options(**given), str(folder / "app.py"), line)
