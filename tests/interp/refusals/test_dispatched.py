"""Functions that choose a body by the class of an argument end the graph where they are called, up to torch 2.14."""

from __future__ import annotations

import pytest

from compilelint.events import Call
from tests.support.reveal import run

PROGRAM = """
import functools
from functools import singledispatch, singledispatchmethod

{decorator}
def scale(value, x):
    return x

class Scale:
    @singledispatchmethod
    def by(self, value, x):
        return x

held = Scale()

def f(x: Tensor):
    return {call}
"""


def refused(decorator: str, call: str) -> list[str]:
    """The calls of the program that end the graph."""
    events = run(PROGRAM.format(decorator=decorator, call=call))
    return [one.name for one in events if isinstance(one, Call) and one.outcome is not None and one.outcome.breaks]


@pytest.mark.parametrize(
    ("decorator", "call", "name"),
    [
        pytest.param("@singledispatch", "scale(3, x)", "scale", id="a function"),
        pytest.param("@functools.singledispatch", "scale('a', x)", "scale", id="by its whole name"),
        pytest.param("@singledispatch", "scale(None, x)", "scale", id="by None"),
        pytest.param("@singledispatch", "scale(x.shape[0], x)", "scale", id="by a size"),
        pytest.param("", "held.by(3, x)", "Scale.by", id="a method"),
    ],
)
def test_it_ends_the_graph(decorator: str, call: str, name: str) -> None:
    assert refused(decorator, call) == [name]


@pytest.mark.parametrize(
    ("decorator", "call"),
    [
        pytest.param("", "scale(3, x)", id="without it"),
        pytest.param("@singledispatch", "scale(x, x)", id="by a tensor"),
        pytest.param("@singledispatch", "scale(held, x)", id="by an object"),
        pytest.param("@singledispatch", "scale([x], x)", id="by a list"),
    ],
)
def test_what_is_traced(decorator: str, call: str) -> None:
    assert refused(decorator, call) == []


def test_the_body_is_followed_where_no_other_is_registered() -> None:
    text = PROGRAM.format(decorator="@singledispatch", call="scale(x, x)").replace("return x\n", "return x.item()\n", 1)
    other = "\n@scale.register(torch.Tensor)\ndef _(value, x):\n    return x\n"
    assert [one.name for one in run(text) if isinstance(one, Call)] == ["torch.Tensor.item"]
    assert [one.name for one in run(text + other, roots=("*f",)) if isinstance(one, Call)] == []
