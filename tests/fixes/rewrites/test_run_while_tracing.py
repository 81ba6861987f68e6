"""What is set up once runs while the call is traced: where it is offered, near misses, and real Dynamo's word."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from compilelint.config import Options
from compilelint.fixes import code_of, proposals
from compilelint.fixes.engine.edits import Placed, rewritten_files
from compilelint.session.commands.lint import files_to_lint, lint
from compilelint.syntax.source import Source, read_source
from tests.fixes.test_pages_fixed import _function

HELPERS = """import torch


def picked(size: int, device: torch.device) -> torch.Tensor:
    rows = torch.arange(size, device=device)
    return rows.masked_select(rows > 2)
"""
NET = """import torch
from torch import nn

from helpers import picked


class Grid(nn.Module):
    def __init__(self):
        super().__init__()
        self.initialized = False

    def _initialize(self, device: torch.device) -> None:
        if self.initialized is True:
            return
        self.rows = picked(8, device)
        self.initialized = True


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.grid = Grid()

    def forward(self, x: torch.Tensor):
        self.grid._initialize(x.device)
        return x[:, self.grid.rows]
"""
MARKED = "    @torch.compiler.assume_constant_result\n    def _initialize"


def _offered(folder: Path, net: str = NET, without: str = "") -> dict[str, str]:
    """The texts of the files that the rewrite changes; `without` is a file that is not linted."""
    (folder / "helpers.py").write_text(HELPERS, encoding="utf-8")
    (folder / "net.py").write_text(net, encoding="utf-8")
    options = Options((str(folder),), torch_version="2.13", no_cache=True)
    linted = [path for path in files_to_lint(options) if not without or not path.endswith(without)]
    for finding in lint(options).findings:
        source = read_source(finding.location.path)
        assert isinstance(source, Source)
        code = code_of(source, linted)
        assert code is not None
        assert not any(one.rewrite == "run_while_tracing" for one in proposals(finding, code))  # never without proof
        for fix in proposals(finding, code, proven=True):
            if fix.rewrite == "run_while_tracing":
                placed = Placed(source.path, fix)
                sources = {path: read_source(path) for path in placed.files()}
                texts = rewritten_files([placed], {k: v for k, v in sources.items() if isinstance(v, Source)}).texts
                return {Path(path).name: text for path, text in texts.items()}
    return {}


def test_what_cannot_be_traced_stands_in_a_helper_of_another_file(tmp_path: Path) -> None:
    assert _offered(tmp_path) == {"net.py": NET.replace("    def _initialize", MARKED)}


def test_a_file_that_is_not_linted_stays_as_it_is(tmp_path: Path) -> None:
    assert _offered(tmp_path, without="net.py") == {}


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("        if self.initialized is True:\n            return\n", ""),  # done in every call
        ("self.initialized is True", "self.training"),  # what is asked is not what it sets
        ("        self.initialized = True\n", "        self.initialized = True\n        return self.rows\n"),
        ("device: torch.device", "device: torch.device, x: torch.Tensor"),
        ("device: torch.device", "device: torch.device, *rest"),
        ("device: torch.device", "device: torch.device, size: int = 8"),
        ("    def _initialize", "    @torch.no_grad()\n    def _initialize"),
    ],
)
def test_what_is_no_set_up_of_objects_is_traced(old: str, new: str, tmp_path: Path) -> None:
    text = NET.replace(old, new, 1)
    assert text != NET
    assert _offered(tmp_path, text) == {}


@pytest.mark.dynamo
def test_one_graph_serves_two_objects_and_each_is_set_up(tmp_path: Path) -> None:
    import torch

    marked = NET.replace("    def _initialize", MARKED).replace("from helpers import picked", HELPERS)
    make: Any = _function(f"{marked}\n\nM = Net\n", tmp_path / "marked.py").__class__
    compiled = torch.compile(lambda net, x: net(x), backend="eager", fullgraph=True)
    for net, x in ((make(), torch.randn(2, 9)), (make(), torch.randn(2, 9))):
        torch.testing.assert_close(compiled(net, x), x[:, 3:8], rtol=0, atol=0)
        assert net.grid.initialized is True
