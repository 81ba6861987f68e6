"""Changes that compiled code does not repeat: which containers, and which calls (each measured on Dynamo)."""

from __future__ import annotations

import pytest

from compilelint.events import Dropped
from tests.support.survey_events import events_of


def lost(*lines: str) -> list[tuple[str, str]]:
    """How and where a forward of these lines loses a change."""
    body = "\n        ".join(lines)
    text = f"class M(nn.Module):\n    def forward(self, x):\n        {body}\n        return x\n"
    return [(event.how, event.name) for event in events_of(text) if isinstance(event, Dropped)]


@pytest.mark.parametrize(
    ("lines", "reported"),
    [
        pytest.param(("self.d.popitem()",), [("popitem", "self.d")], id="nothing else looks at the dict"),
        pytest.param(("self.d.popitem(last=False)",), [], id="an OrderedDict attribute is replayed"),
        pytest.param(("x = x + len(self.d)", "self.d.popitem()"), [], id="the length is guarded"),
        pytest.param(("self.d.move_to_end(1)", "x = x + self.d[1]"), [("reorder", "self.d")], id="moved and read"),
        pytest.param(("self.d.move_to_end(1)",), [], id="moved alone is replayed"),
    ],
)
def test_the_order_of_a_dict_of_the_module(lines: tuple[str, ...], reported: list[tuple[str, str]]) -> None:
    assert lost(*lines) == reported


@pytest.mark.parametrize("call", ["kept.popitem()", "kept.popitem(last=False)", "kept.move_to_end(1)"])
def test_a_dict_of_an_enclosing_function_is_never_replayed(call: str) -> None:
    text = f"""
def make():
    kept = dict()
    @torch.compile
    def f(x):
        {call}
        return x
    return f
"""
    assert [event.name for event in events_of(text) if isinstance(event, Dropped)] == ["kept"]
