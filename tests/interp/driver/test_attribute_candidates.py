"""Compile calls whose model no caller shows: which classes of the project are tried, and with which options."""

from __future__ import annotations

import pytest

from compilelint.interp import Interpreter, roots_of
from compilelint.model import Confidence
from tests.support.reveal import facts, program_of

MODEL = """
import torch
from torch import nn

class Block(nn.Module):
    def forward(self, x):
        return x * 2

class {name}(nn.Module):
    def __init__(self, n):
        super().__init__()
        {tok}
        self.layers = nn.ModuleDict()
        for i in range(n):
            self.layers[str(i)] = Block()
        self.rows = nn.ModuleList(Block() for _ in range(n))
"""
HELPER = "import torch\n\ndef apply(model, cfg):\n    "


def compiled(line: str, tok: str = "self.tok = nn.Embedding(4, 4)", copies: int = 1) -> list[tuple[str, bool, bool]]:
    """Of each root of a compile call its name, whether it is asked for a whole graph, and whether it is certain."""
    files = {f"model{i}.py": MODEL.format(name=f"Net{i}", tok=tok) for i in range(copies)}
    program, modules = program_of({**files, "apply.py": HELPER + line})
    found = roots_of(Interpreter(program, facts(), lambda event: None), modules, ("explicit",)).first
    return sorted({(one.name, one.config.fullgraph, one.sure is Confidence.CERTAIN) for one in found})


@pytest.mark.parametrize(
    "line",
    [
        pytest.param("for b in model.layers.values():\n        b.compile(fullgraph=True)", id="values of a dict"),
        pytest.param("for _, b in model.layers.named_children():\n        b.compile(fullgraph=True)", id="children"),
        pytest.param("for b in model.rows:\n        b.compile(fullgraph=True)", id="a list"),
        pytest.param("for b in model.rows.children():\n        b.compile(fullgraph=True)", id="children of a list"),
        pytest.param(
            "for i, b in model.layers.named_children():\n"
            "        model.layers.register_module(i, torch.compile(b, backend=cfg.backend, fullgraph=True))",
            id="a wrapper is registered",
        ),
        pytest.param(
            "x = model.tok\n    for b in model.rows:\n        b.compile(fullgraph=True)",
            id="two attributes",
        ),
    ],
)
def test_the_class_that_has_the_attributes_is_compiled_as_the_call_asks(line: str) -> None:
    assert compiled(line) == [("Block.forward", True, False)]


@pytest.mark.parametrize(
    ("line", "copies"),
    [
        pytest.param("for b in model.blocks:\n        b.compile()", 1, id="no class has the attribute"),
        pytest.param("x = model.other\n    for b in model.rows:\n        b.compile()", 1, id="one of two attributes"),
        pytest.param("for b in model.children():\n        b.compile()", 1, id="what every module has"),
        pytest.param("for b in model.rows:\n        b.compile()", 5, id="many classes have it"),
    ],
)
def test_no_class_is_meant(line: str, copies: int) -> None:
    assert compiled(line, copies=copies) == []
