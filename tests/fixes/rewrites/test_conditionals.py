"""Arms with layers become the functions of `torch.cond`, only with proof."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from compilelint.fixes import code_of, proposals
from compilelint.fixes.engine.edits import with_edits
from compilelint.session.commands.lint import lint
from compilelint.syntax.source import Source, read_source
from tests.fixes.goldens import options
from tests.fixes.test_pages_fixed import _module

LAYERS = """import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.deep = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 4))
        self.flat = nn.Linear(4, 4)

    def forward(self, x: torch.Tensor):
        if x.sum() > 0:
            y = self.deep(x)
        else:
            y = self.flat(x)
        return y * 2
"""


def _conditional(text: str, path: Path, proven: bool) -> list[str]:
    """The texts that `torch.cond` makes of a program."""
    path.write_text(text, encoding="utf-8")
    source = read_source(str(path))
    assert isinstance(source, Source)
    code = code_of(source)
    assert code is not None
    fixes = [fix for one in lint(options(path)).findings for fix in proposals(one, code, proven)]
    return [with_edits(source, fix.edits) for fix in fixes if "torch.cond" in fix.title]


@pytest.mark.dynamo
def test_arms_with_layers_are_one_graph_with_equal_results(tmp_path: Path) -> None:
    import torch

    from tests.rules.recorder import record

    assert _conditional(LAYERS, tmp_path / "model.py", proven=False) == [], "only with proof"
    (made,) = _conditional(LAYERS, tmp_path / "model.py", proven=True)
    calls = [(torch.full((2, 4), value),) for value in (1.0, -1.0, 2.0)]

    def net(text: str, name: str) -> Any:
        torch.manual_seed(0)
        return _module(text, tmp_path / name).Net().eval()

    seen = record(net(made, "after.py"), calls, str(tmp_path / "after.py"))
    assert (seen.error, seen.breaks) == ("", [])
    with torch.no_grad():
        wanted = [net(LAYERS, "before.py")(*args) for args in calls]
        torch.testing.assert_close([net(made, "after.py")(*args) for args in calls], wanted)
        compiled = torch.compile(net(made, "after.py"), backend="eager")
        torch.testing.assert_close([compiled(*args) for args in calls], wanted)


@pytest.mark.parametrize(
    ("changed", "into"),
    [
        pytest.param("self.flat(x)", "x", id="an arm returns its input itself"),
        pytest.param("self.flat(x)", "nn.functional.dropout(x)", id="an arm draws"),
        pytest.param("self.flat(x)", "self.flat(x).add_(1)", id="an arm writes in place"),
        pytest.param(
            "            y = self.flat(x)", "            z = self.flat(x)", id="the arms assign different names"
        ),
        pytest.param("            y = self.flat(x)", "            return x", id="an arm returns early"),
        pytest.param("self.deep(x)", "self.deep(x)  # costly", id="a comment would be lost"),
    ],
)
def test_an_arm_is_left_where_it_is(changed: str, into: str, tmp_path: Path) -> None:
    text = LAYERS.replace(changed, into)
    assert text != LAYERS
    assert _conditional(text, tmp_path / "model.py", proven=True) == []
