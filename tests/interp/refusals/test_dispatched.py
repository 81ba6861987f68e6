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
        pytest.param("@functools.singledispatch", "scale(x, x)", "scale", id="by its whole name"),
        pytest.param("", "held.by(3, x)", "Scale.by", id="a method"),
    ],
)
def test_it_ends_the_graph(decorator: str, call: str, name: str) -> None:
    assert refused(decorator, call) == [name]


def test_a_function_without_it_is_followed() -> None:
    assert refused("", "scale(3, x)") == []
