"""Which argument a variable or an expression is an item of: what is walked over, unpacked or read by a key."""

from __future__ import annotations

import pytest

from compilelint.interp.text.held_items import holder_of_name
from compilelint.project.roots import functions_of
from tests.support.reveal import program_of, sources


def held(line: str) -> str:
    """What `one` is an item of in a function with this line."""
    program, (module,) = program_of(sources(f"def f(states, more):\n    {line}\n"))
    return holder_of_name(next(iter(functions_of(program, module))), "one")


@pytest.mark.parametrize(
    ("line", "held_by"),
    [
        ("for one in states: pass", "states"),
        ("for i, one in enumerate(states): pass", "states"),
        ("for other, one in zip(more, states): pass", "states"),
        ("for key, one in states.items(): pass", "states"),
        ("one = states['k']", "states"),
        ("other, one = states", "states"),
        ("one = states", "states"),
        ("one = states[0][1]", "states"),
    ],
)
def test_an_item_of_an_argument(line: str, held_by: str) -> None:
    assert held(line) == held_by


@pytest.mark.parametrize(
    "line",
    [
        pytest.param("one = g(states)", id="what a call returns"),
        pytest.param("one = states[0] + 1", id="what is computed"),
        pytest.param("states = g(states)\n    one = states[0]", id="of a parameter that is bound again"),
        pytest.param("one = states[0]\n    one = g(one)", id="bound again itself"),
        pytest.param("one = states[0]\n    one += 1", id="changed itself"),
        pytest.param("for one in g(states): pass", id="of what a call returns"),
        pytest.param("with g(states) as one: pass", id="of a context"),
        pytest.param("for one in other: pass", id="of something else"),
    ],
)
def test_no_item_of_an_argument(line: str) -> None:
    assert held(line) == ""
