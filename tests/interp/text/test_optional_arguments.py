"""Which optional arguments a call must pass to get to a line."""

from __future__ import annotations

import pytest

from compilelint.events import DynamoConfig, Unrecorded
from tests.support.reveal import run

CONFIG = DynamoConfig(mode="reduce-overhead")


def given(test: str, head: str = "x: Tensor, a: Optional[Tensor] = None, b=None, c=3") -> list[tuple[str, ...]]:
    """What is known to be passed where an input is written under a test."""
    body = f"        {test}\n            x.add_(1)\n        return x\n"
    text = f"class M(nn.Module):\n    def forward(self, {head}):\n{body}"
    return [event.given for event in run(text, config=CONFIG) if isinstance(event, Unrecorded)]


@pytest.mark.parametrize(
    ("test", "names"),
    [
        ("if a is not None:", ("a",)),
        ("if a is not None and b:", ("a", "b")),
        ("if not (a is None or b is None):", ("a", "b")),
        pytest.param("if a is not None or b is not None:", (), id="either of two is passed"),
        pytest.param("if a is None:", (), id="it is left out"),
        pytest.param("if c:", (), id="its default is no None"),
        pytest.param("if self.training:", (), id="no argument"),
        pytest.param("if a is None:\n            pass\n        else:", ("a",), id="the other arm"),
    ],
)
def test_by_the_tests_around_the_line(test: str, names: tuple[str, ...]) -> None:
    assert given(test) == [names]


def test_an_argument_that_every_call_must_pass_is_not_named() -> None:
    assert given("if a is not None:", "x: Tensor, a: Optional[Tensor]") == [()]
