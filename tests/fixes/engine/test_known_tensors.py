"""Which expressions of a file are tensors for certain, by the statements that lead to them."""

from __future__ import annotations

import ast

import pytest

from compilelint.fixes import code_of
from compilelint.fixes.engine.known_tensors import is_tensor
from compilelint.syntax.source import source_from_bytes
from compilelint.syntax.unreadable import Unreadable

HEAD = "import torch\nimport torch.nn.functional as F\nfrom torch import nn\n\n\n"


def known(text: str) -> bool:
    """Whether what is handed to `asked(...)` is a tensor for certain."""
    source = source_from_bytes("/p/model.py", (HEAD + text).encode())
    assert not isinstance(source, Unreadable)
    code = code_of(source)
    assert code is not None
    calls = [node for node in ast.walk(code.tree) if isinstance(node, ast.Call)]
    (call,) = [call for call in calls if isinstance(call.func, ast.Name) and call.func.id == "asked"]
    return is_tensor(call.args[0], code)


def function(*lines: str, head: str = "x: torch.Tensor, u") -> str:
    """A function of these lines."""
    return f"def f({head}):\n    " + "\n    ".join(lines) + "\n"


@pytest.mark.parametrize(
    "lines",
    [
        pytest.param(("asked(x)",), id="an annotated parameter"),
        pytest.param(("asked(torch.zeros(3))",), id="what torch makes"),
        pytest.param(("asked(F.relu(u))",), id="what a function of torch returns"),
        pytest.param(("asked(x.exp().view(3))",), id="what methods of a tensor return"),
        pytest.param(("asked(u + x)",), id="arithmetic with a tensor"),
        pytest.param(("asked(-x)",), id="negated"),
        pytest.param(("asked(x[0])",), id="an item"),
        pytest.param(("y = x", "asked(y)"), id="another name"),
        pytest.param(("y = x", "if u:", "    asked(y)"), id="in an `if` below it"),
        pytest.param(("y = x", "with u:", "    asked(y)"), id="in a `with` below it"),
    ],
)
def test_what_is_a_tensor_on_every_way(lines: tuple[str, ...]) -> None:
    assert known(function(*lines))


@pytest.mark.parametrize(
    "lines",
    [
        pytest.param(("asked(u)",), id="a parameter without annotation"),
        pytest.param(("asked(u.exp())",), id="a method of something unknown"),
        pytest.param(("asked(x.tolist())",), id="a method that returns no tensor"),
        pytest.param(("asked(torch.is_tensor(x))",), id="a function of torch that returns no tensor"),
        pytest.param(("asked(x.shape)",), id="an attribute"),
        pytest.param(("asked(not x)",), id="a truth"),
        pytest.param(("asked(~x)",), id="inverted: a number does that as well"),
        pytest.param(("asked(x // 2)",), id="whole division"),
        pytest.param(("asked(x > 2)",), id="a comparison"),
        pytest.param(("y = u", "asked(y)"), id="another name of something unknown"),
        pytest.param(("y = x", "y = u", "asked(y)"), id="bound again"),
        pytest.param(("y = x", "if u:", "    y = u", "asked(y)"), id="bound again on one way"),
        pytest.param(("y = x", "y += u", "asked(y)"), id="changed in place"),
        pytest.param(("y, z = x, u", "asked(y)"), id="unpacked"),
        pytest.param(("for y in x:", "    asked(y)"), id="the variable of a loop"),
        pytest.param(("y = x", "for _ in u:", "    asked(y)", "    y = u"), id="a loop may bring another value back"),
        pytest.param(("y = x", "while u:", "    asked(y)", "    y = u"), id="so may a `while`"),
        pytest.param(("asked(x())",), id="what is called"),
    ],
)
def test_what_may_be_something_else(lines: tuple[str, ...]) -> None:
    assert not known(function(*lines))


@pytest.mark.parametrize(("annotation", "is_one"), [("torch.Tensor", True), ("torch.LongTensor", True), ("int", False)])
def test_the_annotation_of_a_parameter(annotation: str, is_one: bool) -> None:
    assert known(function("asked(x)", head=f"x: {annotation}")) is is_one
    assert known(function("asked(x)", head=f"*, x: {annotation}")) is is_one
    assert not known(function("asked(x)", head=f"*x: {annotation}"))


CLASS = """class M(nn.Module):
    def __init__(self, given):
        super().__init__()
        self.held = {made}
{more}
    def forward(self, x: torch.Tensor):
        asked({asked})
"""


@pytest.mark.parametrize(
    ("made", "asked", "more", "is_one"),
    [
        pytest.param("torch.zeros(3)", "self.held", "", True, id="a tensor"),
        pytest.param("given", "self.held", "", False, id="anything"),
        pytest.param("None", "self.held", "", False, id="nothing ever"),
        pytest.param(
            "torch.zeros(3)", "self.held", "    def off(self):\n        self.held = None\n", True, id="or None"
        ),
        pytest.param(
            "torch.zeros(3)", "self.held", "    def off(self):\n        self.held = 3\n", False, id="or a number"
        ),
        pytest.param(
            "torch.zeros(3)", "self.held", "    def off(self):\n        self.held += 3\n", False, id="changed"
        ),
        pytest.param(
            "torch.zeros(3)", "self.held", "    def go(self):\n        self.held = self.held.cpu()\n", True, id="moved"
        ),
        pytest.param("torch.zeros(3)", "other.held", "", False, id="of another object"),
        pytest.param("nn.Linear(3, 3)", "self.held(x)", "", True, id="what a layer returns"),
        pytest.param("nn.LSTM(3, 3)", "self.held(x)", "", False, id="a layer that returns several"),
        pytest.param("given", "self.held(x)", "", False, id="what anything returns"),
        pytest.param(
            "nn.Linear(3, 3)", "self.held(x)", "    def off(self, g):\n        self.held = g\n", False, id="swapped"
        ),
    ],
)
def test_what_a_class_holds(made: str, asked: str, more: str, is_one: bool) -> None:
    assert known(CLASS.format(made=made, asked=asked, more=more)) is is_one
