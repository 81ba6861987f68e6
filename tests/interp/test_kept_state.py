"""State that outlives a call: what counts as read, and what this call has written first."""

from __future__ import annotations

import pytest

from compilelint.events import StateChange
from tests.support.reveal import run


def changed(*lines: str) -> list[str]:
    """What a forward of these lines leaves changed for the guards of the next call."""
    body = "\n                ".join(lines)
    program = f"""
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.n = 0

            def forward(self, x: Tensor, k: int):
                {body}
                return x * 2
    """
    return [event.name for event in run(program) if isinstance(event, StateChange)]


@pytest.mark.parametrize(
    "lines",
    [
        pytest.param(("self.n += 1",), id="a step reads what it writes"),
        pytest.param(("if k > 1:", "    self.n = 0", "self.n += 1"), id="written on one path only"),
    ],
)
def test_what_an_earlier_call_left_is_read(lines: tuple[str, ...]) -> None:
    assert changed(*lines) == ["self.n"]


@pytest.mark.parametrize(
    "lines",
    [
        pytest.param(("self.n = 0", "self.n += 1"), id="written first"),
        pytest.param(("if k > 1:", "    self.n = 0", "else:", "    self.n = 5", "self.n += 1"), id="on both paths"),
        pytest.param(("self.n = k",), id="never read"),
    ],
)
def test_what_this_call_has_written_is_no_state(lines: tuple[str, ...]) -> None:
    assert changed(*lines) == []
