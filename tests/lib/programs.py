"""What the tests of rules in LibCST share: a model, a rule about it, and a pack as pip installs it."""

from __future__ import annotations

from pathlib import Path

MODEL = """\
import torch
from torch import nn
from torch.nn import functional as F


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(3, 4)

    def forward(self, x: torch.Tensor):
        y = self.lin(x)
        if (y > 0).any():
            return y.sum().item()
        return F.relu(y)


def eager(x):
    return x.item()
"""

RULE = '''\
import libcst as cst

from compilelint.lib import Effect, Rule, Safety

COMPILELINT_API = 1


class ItemCall(Rule):
    """A call of `.item()` on a tensor."""

    code = "TEAM001"
    name = "item-call"
    summary = "a tensor is read on the host"
    effect = Effect.SYNC
    words = (".item(",)
    fixes = Safety.UNSAFE
    INVALID = (
        """
        import torch

        class M(torch.nn.Module):
            def forward(self, x):
                return x.sum().item() + x  # TEAM001

        def inputs():
            return (torch.ones(3),)
        """,
    )
    VALID = ("def g(x):\\n    return x.item()\\n",)

    def visit_Call(self, node: cst.Call) -> None:
        func = node.func
        if isinstance(func, cst.Attribute) and func.attr.value == "item" and self.state(func.value).is_tensor:
            state = self.state(func.value)
            self.report(node, "`.item()` of a tensor", why=state.why, confidence=state.confidence, fix=func.value)
'''


def write(folder: Path, **files: str) -> Path:
    """Files of a folder by their names without `.py`."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (folder / f"{name}.py").write_text(text, encoding="utf-8")
    return folder


def install(site: Path, module: str, text: str, version: str = "1.0") -> None:
    """A distribution `team-rules` in a folder of installed packages, whose entry point names a module."""
    write(site, **{module: text})
    info = site / f"team_rules-{version}.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: team-rules\nVersion: {version}\n")
    (info / "entry_points.txt").write_text(f"[compilelint.rules]\nteam = {module}\n")
