"""An edit of one body costs the calls of that function alone, and the report is that of a fresh run."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.editor import rendered
from compilelint.config import Options
from compilelint.interp import Interpreter
from compilelint.session.live import Live
from compilelint.syntax.source import Source, source_from_bytes

MODEL = """import functools

import torch
from torch import nn


def kept(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        return function(*args, **kwargs)

    return wrapper


class Block(nn.Module):
    def __init__(self, wide):
        super().__init__()
        self.wide = wide
        self.lin = nn.Linear(wide, wide)

    def forward(self, x):
        y = self.lin(x)
        return y * self.wide


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.block = Block(3)
        self.seen = 0

    def forward(self, x: torch.Tensor):
        y = self.block(x)
        self.seen += 1
        return self.head(y)

    def head(self, x):
        if x.sum() > 0:
            return x
        return x + 1


class Decorated(nn.Module):
    @kept
    def forward(self, x):
        if x.max() > 0:
            x = x + 1
        return self.relu(x)

    def relu(self, x):
        return torch.relu(x)


def down(x, depth):
    return x if depth == 0 else down(x, depth - 1)
"""

QUICK = {
    "a break": ("        y = self.lin(x)\n", "        y = self.lin(x)\n        z = y.sum().item()\n"),
    "a line above": ("class Block", "# a remark\n\n\nclass Block"),
    "in a function under a decorator": ("x = x + 1\n        return self.relu", "x = x + 2\n        return self.relu"),
    "a name that is bound nowhere": ("        y = self.lin(x)\n", "        y = self.lin(x)\n        nowhere\n"),
    "an import": ("        y = self.lin(x)\n", "        import os\n        y = self.lin(x)\n"),
}
WHOLE = {
    "another result": ("return y * self.wide", "return None"),
    "no break any more": ("if x.sum() > 0:", "if x.shape[0] > 0:"),
    "an annotation": ("        y = self.lin(x)\n", "        y: torch.Tensor = self.lin(x)\n"),
    "a constructor": ("self.wide = wide", "self.wide = torch.tensor(wide)"),
    "a store less": ("        self.seen += 1\n", ""),
    "what a decorated one calls": ("return torch.relu(x)", "return torch.relu(x), 1"),
    "a function in a function": ("        y = self.lin(x)\n", "        y = (lambda q: q)(self.lin(x))\n"),
    "a call that others made first": ("        y = self.lin(x)\n", "        y = down(self.lin(x), 2)\n"),
    "a call less": ("        return self.head(y)", "        return y"),
    "a parameter": ("def head(self, x)", "def head(self, x, y=1)"),
    "another attribute stored": ("        y = self.block(x)\n", "        y = self.block(x)\n        self.more = y\n"),
    "a recursion": ("down(x, depth - 1)", "down(x + 1, depth - 1)"),
    "a name that is looked up": ("        y = self.lin(x)\n", "        y = kept(self.lin)(x)\n"),
}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    (tmp_path / "model.py").write_text(MODEL)
    return tmp_path / "model.py"


def text(path: Path, content: str) -> dict[str, Source]:
    source = source_from_bytes(path.as_posix(), content.encode())
    assert isinstance(source, Source)
    return {path.as_posix(): source}


@pytest.mark.parametrize("name", [*QUICK, *WHOLE])
def test_after_an_edit_the_report_is_that_of_a_fresh_run(file: Path, name: str) -> None:
    edited = MODEL.replace(*{**QUICK, **WHOLE}[name], 1)
    assert edited != MODEL
    live = Live(Options((file.as_posix(),), torch_version="2.13"))
    live.report({})
    for content in (edited, MODEL, edited.replace("Net(", "Net2("), edited, MODEL):
        texts = text(file, content)
        assert rendered(live.report(texts)) == rendered(Live(live.options).report(texts))


@pytest.mark.parametrize("name", QUICK)
def test_an_edit_of_a_body_runs_no_root_again(file: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    live = Live(Options((file.as_posix(),), torch_version="2.13"))
    live.report({})

    def refuse(*_: object) -> None:
        raise AssertionError("run again")

    monkeypatch.setattr(Interpreter, "analyse", refuse)
    live.report(text(file, MODEL.replace(*QUICK[name], 1)))
    assert live.is_quick


@pytest.mark.parametrize("name", WHOLE)
def test_what_reaches_further_is_run_whole(file: Path, name: str) -> None:
    live = Live(Options((file.as_posix(),), torch_version="2.13"))
    live.report({})
    live.report(text(file, MODEL.replace(*WHOLE[name], 1)))
    assert not live.is_quick
