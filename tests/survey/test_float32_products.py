"""Compiled models of matrix products that train in float32 on a GPU, and what is left alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from compilelint.config import Options
from compilelint.model import Confidence
from compilelint.session.commands.lint import lint

MODEL = """
import torch
from torch import nn


class Block(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.up, self.down = nn.Linear(dim, 4 * dim), nn.Linear(4 * dim, dim)

    def forward(self, x):
        return x + self.down(self.up(x).relu())


class Net(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.blocks = nn.Sequential(*[Block(dim) for _ in range(4)])
        # more

    def forward(self, x):
        return self.blocks(x)
"""
SCRIPT = """
import torch
from model import Net

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = Net(8).to(device)
model = torch.compile(model)
optimizer = torch.optim.AdamW(model.parameters(), fused=True)
for x in data:
    loss = model(x).mean()
    loss.backward()
    optimizer.step()
"""


def said(folder: Path, script: str = SCRIPT, model: str = MODEL) -> list[tuple[int, Confidence]]:
    (folder / "model.py").write_text(model, encoding="utf-8")
    (folder / "train.py").write_text(script, encoding="utf-8")
    options = Options((str(folder),), torch_version="2.13", min_confidence=Confidence.POSSIBLE, roots=("explicit",))
    found = [one for one in lint(options).findings if one.rule.code == "CL838"]
    return [(one.location.span.line, one.confidence) for one in found]


def test_a_model_in_another_file(tmp_path: Path) -> None:
    assert said(tmp_path) == [(7, Confidence.POSSIBLE)]


@pytest.mark.parametrize(
    "line",
    [
        pytest.param('torch.set_float32_matmul_precision("high")', id="set"),
        pytest.param("torch.backends.cuda.matmul.allow_tf32 = True", id="allowed"),
        pytest.param('torch.backends.fp32_precision = "tf32"', id="by the newer name"),
        pytest.param("model = model.to(torch.bfloat16)", id="bfloat16"),
        pytest.param("model = model.half()", id="half"),
        pytest.param("scope = torch.autocast('cuda')", id="autocast"),
        pytest.param("parser.add_argument('--amp')", id="an option for it"),
        pytest.param("from unseen import Runner\nmodel = Runner().prepare(model)", id="a library chooses"),
        pytest.param("import unseen\nmodel, others = unseen.initialize(model=model)", id="and gives more"),
    ],
)
def test_another_precision_is_named(tmp_path: Path, line: str) -> None:
    text = SCRIPT.replace("model = torch.compile", f"{line}\nmodel = torch.compile")
    assert said(tmp_path, text) == []


@pytest.mark.parametrize(
    "script",
    [
        pytest.param(SCRIPT.replace("cuda", "mps"), id="another device"),
        pytest.param(SCRIPT.replace("    loss.backward()\n", ""), id="trains nothing"),
        pytest.param(SCRIPT.replace("Net(8)", "make(8)"), id="a model that is not seen"),
        pytest.param(SCRIPT.replace("model = torch.compile(model)", ""), id="compiles nothing"),
    ],
)
def test_other_scripts(tmp_path: Path, script: str) -> None:
    assert said(tmp_path, script) == []


@pytest.mark.parametrize(
    ("layer", "found"),
    [
        pytest.param("self.first = nn.Conv2d(3, 8, 3)", 0, id="convolutions"),
        pytest.param("self.first = nn.LSTM(8, 8)", 0, id="recurrent layers"),
        pytest.param("self.first = nn.LayerNorm(8)", 1, id="a norm"),
        pytest.param("self.kind = torch.bfloat16", 0, id="a dtype of its own"),
    ],
)
def test_what_the_model_holds(tmp_path: Path, layer: str, found: int) -> None:
    assert len(said(tmp_path, model=MODEL.replace("# more", layer))) == found


def test_once_a_file(tmp_path: Path) -> None:
    assert len(said(tmp_path, SCRIPT + SCRIPT.replace("model", "other").replace("from other", "from model"))) == 1
