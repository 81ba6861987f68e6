"""What `torch.compile` returned, used as if it were the model: how well it is known to be that."""

from __future__ import annotations

import pytest

from compilelint.events import WrapperUse
from compilelint.model import Confidence
from tests.support.survey_events import NET, events_of


def sure_of(text: str) -> list[Confidence]:
    """How sure each use of a wrapper is."""
    return [event.sure for event in events_of(NET + text) if isinstance(event, WrapperUse)]


@pytest.mark.parametrize(
    ("text", "sure"),
    [
        pytest.param(
            "def f(k):\n    m = torch.compile(Net())\n    torch.save(m, 'a')\n", Confidence.CERTAIN, id="plain"
        ),
        pytest.param(
            "def f(k):\n    m = Net()\n    if k:\n        m = torch.compile(m)\n    torch.save(m, 'a')\n",
            Confidence.LIKELY,
            id="behind a test",
        ),
    ],
)
def test_a_name_that_is_compiled_behind_a_test_is_likely_the_wrapper(text: str, sure: Confidence) -> None:
    assert sure_of(text) == [sure]


@pytest.mark.parametrize(
    ("inside", "sure"),
    [
        pytest.param("m.state_dict()", Confidence.POSSIBLE, id="a function inside saves it"),
        pytest.param("other.state_dict()", Confidence.LIKELY, id="it saves something else"),
        pytest.param("(m := Net()).state_dict()", Confidence.LIKELY, id="it has a model of its own"),
    ],
)
def test_a_state_that_a_function_inside_saves_comes_from_the_wrapper_too(inside: str, sure: Confidence) -> None:
    text = f"def f(k, other):\n    m = torch.compile(Net())\n    def save():\n        return {inside}\n    save()\n"
    assert sure_of(f"{text}    m.load_state_dict(k)\n") == [sure]


@pytest.mark.parametrize(
    ("made", "later", "sure"),
    [
        pytest.param("self.net.load_state_dict(state)", "", [], id="the constructor, before anything is compiled"),
        pytest.param(
            "self.speed_up()\n        self.net.load_state_dict(state)",
            "",
            [Confidence.LIKELY],
            id="the constructor, which compiles first",
        ),
        pytest.param("", "self.net.load_state_dict(state)", [Confidence.LIKELY], id="another method"),
    ],
)
def test_a_constructor_runs_before_the_method_that_compiles(made: str, later: str, sure: list[Confidence]) -> None:
    text = f"""class Holder:
    def __init__(self, state):
        self.net = Net()
        {made}

    def speed_up(self):
        self.net = torch.compile(self.net)

    def load(self, state):
        self.state = state
        {later}
"""
    assert sure_of(text) == sure
