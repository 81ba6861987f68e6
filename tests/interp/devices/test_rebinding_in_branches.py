"""Writes by a name that is new on some ways to the line: a note, for no argument is surely written."""

from __future__ import annotations

import pytest

from compilelint.events import DynamoConfig, Unrecorded
from compilelint.model import Confidence
from tests.support.reveal import run


def written(*lines: str) -> list[Confidence]:
    """How sure it is that the body of a function writes its argument `x`."""
    body = "".join(f"    {line}\n" for line in lines)
    text = f"def f(x: Tensor, n: int, layers):\n{body}    return z\n"
    found = run({"app.py": text}, ("all",), DynamoConfig(mode="reduce-overhead"))
    return [min(one.sure, one.site.cap) for one in found if isinstance(one, Unrecorded) and one.how == "input-written"]


@pytest.mark.parametrize("write", ["z += 1", "z[0] = 1", "z.add_(1)"])
def test_a_loop_that_may_not_run(write: str) -> None:
    assert written("z = x", "for _ in range(n): z = z * 2", write) == [Confidence.POSSIBLE]


@pytest.mark.parametrize("write", ["z += 1", "z[0] = 1", "z.add_(1)"])
def test_a_name_that_only_stands_for_the_argument(write: str) -> None:
    assert written("z = x", write)[0] > Confidence.POSSIBLE


def test_a_view_is_no_new_tensor() -> None:
    assert written("z = x.view(-1)", "z += 1")[0] > Confidence.POSSIBLE


def test_what_a_later_line_makes() -> None:
    assert written("z = x", "z += 1", "z = z * 2")[0] > Confidence.POSSIBLE


def in_a_module(test: str) -> list[Confidence]:
    """How sure it is that a module writes its argument behind a test of an attribute that is 1.0 by default."""
    text = (
        "class M(nn.Module):\n    def __init__(self, keep=1.0):\n        super().__init__()\n        self.keep = keep\n"
        f"    def forward(self, x: Tensor):\n        if {test}:\n            x[0] = 0\n        return x * 2\n"
    )
    found = run({"app.py": text}, ("auto",), DynamoConfig(mode="reduce-overhead"))
    return [min(one.sure, one.site.cap) for one in found if isinstance(one, Unrecorded) and one.how == "input-written"]


@pytest.mark.parametrize("test", ["self.keep < 1.0", "self.keep != 1.0", "self.keep > 2 and self.training"])
def test_a_comparison_that_fails_with_the_defaults(test: str) -> None:
    assert in_a_module(test) == [Confidence.POSSIBLE]


@pytest.mark.parametrize("test", ["self.keep > 0.5", "self.keep <= 1", "self.other < 1.0"])
def test_a_comparison_that_holds_or_is_not_known(test: str) -> None:
    assert in_a_module(test)[0] > Confidence.POSSIBLE


def test_a_list_is_no_tensor_that_is_written() -> None:
    text = "def f(x):\n    if type(x) == list:\n        x[0] = x[0] * 2\n    return x\n"
    found = run({"app.py": text}, ("all",), DynamoConfig(mode="reduce-overhead"))
    assert [one for one in found if isinstance(one, Unrecorded) and one.how == "input-written"] == []
