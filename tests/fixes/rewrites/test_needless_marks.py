"""`requires_grad = False` goes where it changes nothing, and stays wherever it may change something."""

from __future__ import annotations

from pathlib import Path

import pytest

from compilelint.fixes import code_of, proposals
from compilelint.fixes.engine.edits import with_edits
from compilelint.model import Safety
from compilelint.session.commands.lint import lint
from compilelint.syntax.source import Source, read_source
from tests.fixes.goldens import options
from tests.fixes.test_pages_fixed import _module

WARP = """import torch
from torch import nn


class Warp(nn.Module):
    def forward(self, x: torch.Tensor, flow: torch.Tensor):
        _, _, h, w = x.size()
        grid_y, grid_x = torch.meshgrid(torch.arange(0, h).type_as(x), torch.arange(0, w).type_as(x), indexing="ij")
        grid = torch.stack((grid_x, grid_y), 2).float()
        grid.requires_grad = False
        return x.sum() + (grid + flow).mean()
"""
LINE = "        grid.requires_grad = False\n"


def _deleted(text: str, path: Path) -> list[str]:
    """The texts without the statement."""
    path.write_text(text, encoding="utf-8")
    source = read_source(str(path))
    assert isinstance(source, Source)
    code = code_of(source)
    assert code is not None
    fixes = [fix for one in lint(options(path)).findings for fix in proposals(one, code)]
    made = [fix for fix in fixes if fix.rewrite == "unmarked_already"]
    assert all(fix.safety is Safety.SAFE for fix in made)
    return [with_edits(source, fix.edits) for fix in made]


def test_it_is_deleted_where_it_changes_nothing(tmp_path: Path) -> None:
    assert _deleted(WARP, tmp_path / "m.py") == [WARP.replace(LINE, "")]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        pytest.param("(grid_x, grid_y), 2).float()", "(grid_x, flow[0, 0]), 2)", id="a part comes from outside"),
        pytest.param("torch.stack((grid_x, grid_y), 2).float()", "flow.detach()", id="no factory made it"),
        pytest.param("torch.arange(0, h).type_as(x)", "torch.ones(h, requires_grad=True)", id="it asked for one"),
        pytest.param("torch.arange(0, h)", "torch.arange(0, h, **{})", id="what is unpacked may ask"),
        pytest.param("torch.arange(0, h)", "torch.arange(0, h, out=flow)", id="it is written into what may need one"),
        pytest.param(LINE, "        grid *= flow[0, 0, 0, 0]\n" + LINE, id="it is changed in between"),
        pytest.param(LINE, "        self.mark(grid)\n" + LINE, id="it is handed out in between"),
        pytest.param(LINE, LINE.replace("False", "True"), id="it is switched on"),
        pytest.param(LINE, "        flow.requires_grad = False\n", id="an input"),
        pytest.param(LINE, "        if self.training:\n    " + LINE, id="alone in its block"),
        pytest.param(LINE, LINE.replace("\n", "  # off\n"), id="a comment would go with it"),
    ],
)
def test_near_misses(old: str, new: str, tmp_path: Path) -> None:
    text = WARP.replace(old, new)
    assert text != WARP
    assert _deleted(text, tmp_path / "m.py") == []


@pytest.mark.dynamo
def test_eager_code_gives_the_same_with_its_gradients_and_dynamo_breaks_no_more(tmp_path: Path) -> None:
    import torch

    from tests.rules.recorder import record

    (after,) = _deleted(WARP, tmp_path / "m.py")
    results = []
    for name, text in (("before", WARP), ("after", after)):
        x, flow = torch.ones(2, 3, 4, 5, requires_grad=True), torch.ones(2, 4, 5, 2, requires_grad=True)
        warp = _module(text, tmp_path / f"{name}.py").Warp()
        found = warp(x, flow)
        found.backward()
        results.append((found.detach(), x.grad, flow.grad, len(record(warp, [(x, flow)], str(tmp_path)).breaks)))
    assert all(torch.equal(one, other) for one, other in zip(results[0][:3], results[1][:3], strict=True))
    assert (results[0][3], results[1][3]) == (1, 0)
