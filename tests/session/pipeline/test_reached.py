"""A finding names every root that reaches it, and a root that is asked alone says the same."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.alone import compared
from compilelint.config import Options
from compilelint.session.commands.lint import lint

NETWORKS = """
import torch
from torch import nn

def scaled(x):
    if x.sum() > 0:
        return x * 2
    return x

class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.linear = nn.Linear(width, width)

    def forward(self, x):
        return scaled(self.linear(x))

class Unet(nn.Module):
    def __init__(self):
        super().__init__()
        self.enc = nn.ModuleDict()
        for name in ("in", "down"):
            self.enc[f"{name}_block"] = Block(4)

    def forward(self, x):
        for name, block in self.enc.items():
            x = block(x)
        return x

class Precond(nn.Module):
    def __init__(self):
        super().__init__()
        self.unet = Unet()

    def forward(self, x, sigma):
        return self.unet(x) * sigma

class Other(nn.Module):
    def forward(self, x):
        return torch.relu(x)
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("networks")
    (made / "networks.py").write_text(NETWORKS)
    return made


def test_a_break_names_every_root_that_reaches_it_and_no_other(folder: Path) -> None:
    options = Options((str(folder),), torch_version="2.13", no_cache=True, jobs=1)
    (finding,) = [one for one in lint(options).findings if one.rule.code == "CL101"]
    assert set(finding.roots) == {"Block.forward", "Unet.forward", "Precond.forward"}


def test_a_root_that_is_asked_alone_says_what_the_joint_run_says(folder: Path) -> None:
    assert compared(folder, most=4) == (4, [])


def test_roots_of_one_name_share_a_break_in_another_file(tmp_path: Path) -> None:
    (tmp_path / "shared.py").write_text("def scaled(x):\n    if x.sum() > 0:\n        return x * 2\n    return x\n")
    net = """from torch import nn
from shared import scaled
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(4, 4)
    def forward(self, x):
        return scaled(self.linear(x))
"""
    clean = net.replace("return scaled(self.linear(x))", "return self.linear(x)")
    for name, text in (("one", net), ("two", net), ("three", clean)):
        (tmp_path / f"{name}.py").write_text(text)
    report = lint(Options((str(tmp_path),), no_cache=True))
    (finding,) = [one for one in report.findings if one.ends_graph]
    assert finding.roots == ("Net.forward",)
    assert sorted(Path(path).name for _, path, _ in finding.root_places) == ["one.py", "two.py"]
