"""What Dynamo still traces behind a graph break: our belief and, with torch, what it really does.

Each form is followed by `torch._dynamo.graph_break()`, whose reason says whether Dynamo got there.
"""

from __future__ import annotations

import linecache
import textwrap
from typing import Any

import pytest

from compilelint import events
from tests.support.reveal import run

HEAD = """
import contextlib
import torch
from torch import Tensor, nn

class Listed:
    @property
    def held(self):
        print(end="")
        return 1
    def __iter__(self):
        print(end="")
        return iter([1, 2])
    def __len__(self):
        print(end="")
        return 2
    def __getitem__(self, index):
        print(end="")
        return 1
    def __bool__(self):
        print(end="")
        return True

class Enters:
    def __enter__(self):
        print(end="")
    def __exit__(self, *error): ...

class Leaves:
    def __enter__(self): ...
    def __exit__(self, *error):
        print(end="")

class Layer(nn.Module):
    def forward(self, x: Tensor):
        print(end="")
        return x

def helper(x):
    print(end="")
    return x

def generator(x):
    print(end="")
    yield x

listed, layer = Listed(), Layer()
"""
TRACED = {
    "a call": "x = helper(x)",
    "a layer": "x = layer(x)",
    "a built-in": "print(end='')",
    "under no_grad": "with torch.no_grad():\n    print(end='')",
    "a call under no_grad": "with torch.no_grad():\n    x = helper(x)",
    "a list comprehension is a function of its own": "a = [y.item() for y in x.sum(0)]",
    "a list comprehension that calls": "a = [helper(x) for i in range(2)]",
    "len": "a = len(listed)",
    "getitem": "a = listed[0]",
    "a mask": "a = x[x > 0]",
    "a mask stored through": "x[x > 0] = 1",
    "an augmented assignment": "x += x[x > 0].sum()",
    "a branch": "if x.sum() > 0:\n    x = x + 1",
    "a while loop that ends at once": "while x.sum() < 0:\n    x = x + 1",
    "a while loop that goes on": "while x.sum() < 30:\n    x = x + 1",
    "a conditional expression": "a = 1 if x.sum() > 0 else 2",
    "a loop that never runs": "for i in ():\n    print(end='')",
    "the iterable of a loop": "for i in x.nonzero():\n    pass",
    "a range up to data": "for i in range(x.sum().long()):\n    pass",
    "an unpacked list": "a, b, c = x.sum(0).tolist()",
    "a function defined here": "def g(y):\n    print(end='')\n    return y\nx = g(x)",
    "on one path only": "if flag:\n    for i in range(2):\n        print(end='')",
}
MASKED = {
    "a for loop": "for i in range(2):\n    print(end='')",
    "a while loop": "i = 0\nwhile True:\n    i += 1\n    print(end='')\n    if i > 1:\n        break",
    "a try": "try:\n    print(end='')\nexcept ValueError:\n    pass",
    "an except": "try:\n    raise ValueError\nexcept ValueError:\n    print(end='')",
    "a call in a loop": "for i in range(2):\n    x = helper(x)",
    "a layer in a loop": "for i in range(2):\n    x = layer(x)",
    "a call in a try": "try:\n    x = helper(x)\nexcept ValueError:\n    pass",
    "a comprehension in a loop": "for i in range(2):\n    a = [y.item() for y in x.sum(0)]",
    "a context manager entered": "with Enters():\n    x = x + 1",
    "a context manager left": "with Leaves():\n    x = x + 1",
    "a property": "a = listed.held",
    "a generator iterated": "for i in generator(x):\n    pass",
    "a generator collected": "a = list(generator(x))",
    "a generator expression": "a = list(y.item() for y in x.sum(0))",
    "iter": "for i in listed:\n    pass",
    "truth": "if listed:\n    x = x + 1",
    "not": "a = not x.sum()",
    "percent": "a = '%s' % x.sum()",
    "a slice": "a = x[: x.sum().long()]",
    "a slice stored through": "x[: x.sum().long()] = 1",
}
FORMS = [pytest.param(body, False, id=name) for name, body in TRACED.items()] + [
    pytest.param(body, True, id=name) for name, body in MASKED.items()
]


def program(body: str) -> str:
    """A function with the form and what follows it."""
    lines = f"{body}\ntorch._dynamo.graph_break()\nreturn x"
    return f"{HEAD}\ndef f(x: Tensor, flag: bool = False):\n{textwrap.indent(lines, '    ')}\n"


@pytest.mark.parametrize(("body", "masked"), FORMS)
def test_what_is_believed(body: str, masked: bool) -> None:
    found = [one for one in run(program(body)) if isinstance(one, events.Call) and one.name.endswith("graph_break")]
    assert [one.site.after_skip for one in found] == [masked]


@pytest.mark.dynamo
@pytest.mark.parametrize(("body", "masked"), FORMS)
def test_what_dynamo_does(body: str, masked: bool) -> None:
    import torch

    text = program(body)
    name = f"<{body}>"
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    space: dict[str, Any] = {}
    exec(compile(text, name, "exec"), space)
    torch._dynamo.reset()
    torch._dynamo.utils.counters.clear()
    torch.compile(space["f"], backend="eager")(torch.ones(3, 3))
    reasons = list(torch._dynamo.utils.counters["graph_break"])
    assert any("torch._dynamo.graph_break()" in reason for reason in reasons) is not masked
