"""`interp.text.held_tensors`: methods that compute with tensors of their object."""

from __future__ import annotations

import pytest

from compilelint.interp.text.held_tensors import computes_with_held_tensors
from compilelint.project.roots import functions_of
from tests.support.reveal import program_of, sources

RECORD = "class C:\n    time: Tensor\n"
KEEPS = "class C:\n    def __init__(self, time: Tensor):\n        self.time = time\n"
MAKES = "class C:\n    def __init__(self, n):\n        self.time = torch.zeros(n)\n"
COUNTS = "class C:\n    def __init__(self, n: int):\n        self.time = n\n"
CALLS = "class C:\n    def __init__(self, n):\n        self.time = zeros(n)\n"
READS = "    def f(self):\n        return self.time.sum()\n"
HANDS = "    def f(self):\n        return torch.sort(self.time)\n"


def chosen(text: str) -> list[str]:
    """The methods that compute with tensors of their object."""
    program, modules = program_of(sources("from torch import nn\n" + text))
    return [
        one.node.name for module in modules for one in functions_of(program, module) if computes_with_held_tensors(one)
    ]


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(RECORD + READS, id="a record, a method of a tensor"),
        pytest.param(RECORD + HANDS, id="a record, a function of torch"),
        pytest.param(RECORD.replace("Tensor", "torch.Tensor | None") + READS, id="a tensor or None"),
        pytest.param(KEEPS + READS, id="the constructor keeps one"),
        pytest.param(MAKES + READS, id="the constructor makes one"),
        pytest.param(RECORD + "class D(C):\n" + READS, id="a base holds one"),
    ],
)
def test_a_method_that_computes_with_what_its_object_holds_counts(text: str) -> None:
    assert chosen(text) == ["f"]


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(COUNTS + READS, id="holds a number"),
        pytest.param(CALLS + READS, id="a function that is not torch's"),
        pytest.param(RECORD + "    def f(self):\n        return self.time\n", id="only hands it on"),
        pytest.param(RECORD + "    def f(self):\n        return self.time.clear()\n", id="no method of tensors"),
        pytest.param(RECORD + "    def f(self, x):\n        return torch.sort(x)\n", id="computes with something else"),
        pytest.param(RECORD + "    @property\n" + READS, id="a property, which no one compiles"),
        pytest.param(RECORD + "    @staticmethod\n" + READS, id="a static method"),
        pytest.param(RECORD.replace("class C", "class C(nn.Module)") + READS, id="a module"),
        pytest.param(RECORD.replace("class C", "class C(torch.autograd.Function)") + READS, id="an autograd function"),
    ],
)
def test_another_method_does_not(text: str) -> None:
    assert chosen(text) == []
