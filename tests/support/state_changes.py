"""What a forward changes in the state that its module keeps, from the lines of a constructor and of a body."""

from __future__ import annotations

from compilelint.events import StateChange
from tests.support.reveal import run


def changes(constructor: str, body: str) -> list[tuple[str, str]]:
    """Name and kind of each change that a forward makes; `constructor` and `body` are its lines, by semicolons."""
    lines = [
        "import torch",
        "class Net(nn.Module):",
        "    def __init__(self):",
        "        super().__init__()",
        *(f"        {line.strip()}" for line in constructor.split(";")),
        "    def forward(self, x: Tensor):",
        *(f"        {line.strip()}" for line in body.split(";")),
        "        return x * 2",
    ]
    return [(one.name, one.how) for one in run("\n".join(lines)) if isinstance(one, StateChange)]
