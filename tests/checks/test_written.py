"""Titles name the expression that a finding is about, as the source writes it, and nothing longer than a line."""

from __future__ import annotations

import pytest

from compilelint.syntax.spelling import LONGEST
from tests.support.recorded import findings_of

PROGRAM = """
import operator

import torch


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.mask = torch.zeros(3)

    def forward(self, x: torch.Tensor, table: list):
        y = x.softmax(-1)
        {line}
        return x
"""


def titles(line: str) -> list[str]:
    return [one.message for one in findings_of(PROGRAM.replace("{line}", line))]


@pytest.mark.parametrize(
    ("line", "title"),
    [
        pytest.param("z = y.item()", "`.item()` reads the data of `y`", id="a local"),
        pytest.param("z = x.item()", "`.item()` reads the data of the argument `x`", id="an argument"),
        pytest.param(
            "z = operator.index(x)", "`operator.index()` reads the data of the argument `x`", id="no method of a module"
        ),
        pytest.param("z = y[0].item()", "`.item()` reads the data of `y[0]`", id="a subscript"),
        pytest.param("z = x + self.mask.to(x.device)", "`self.mask` is copied from the host", id="an attribute"),
        pytest.param("z = int(y.argmax())", "`int()` reads the data of `y.argmax()`", id="what a builtin is given"),
        pytest.param("z = torch.Tensor.item(y)", "`.item()` reads the data of `y`", id="a method called as a function"),
        pytest.param("z = 1 if y.max() > 0.5 else 2", "depends on the data of `y.max() > 0.5`", id="a condition"),
        pytest.param("z = y[: y.argmax()]", "a slice bound is a tensor: `y.argmax()`", id="a bound"),
        pytest.param("z = y[y > 0]", "`y` is indexed with a boolean mask: `y > 0`", id="a mask"),
        pytest.param("z = [x, y][y.argmax()]", "is indexed with a tensor: `y.argmax()`", id="an index of a list"),
        pytest.param("z = 1 in y", "`in` searches `y`", id="what is searched"),
        pytest.param("z = torch.equal(y, x)", "`torch.equal()` reads the data of `y`", id="the first of two"),
    ],
)
def test_a_title_names_the_expression(line: str, title: str) -> None:
    assert [one for one in titles(line) if title in one], titles(line)


def test_what_came_through_a_star_is_named_by_its_origin() -> None:
    assert "`torch.equal()` reads the data of a tensor (result of `.softmax`)" in titles("z = torch.equal(*[y, x])")


def test_a_long_expression_of_several_lines_ends_in_an_ellipsis() -> None:
    line = "z = (y.clamp(min=0.0, max=1.0).sum(dim=-1,\n            keepdim=True).mean().item())"
    (title,) = titles(line)
    assert title == "`.item()` reads the data of `y.clamp(…).sum(…).mean()`"
    long = " + ".join(f"y.number{number}" for number in range(9))
    (cut,) = [one for one in titles(f"z = ({long}).item()") if "reads the data" in one]
    assert "\n" not in cut
    assert cut.endswith("…`")
    assert len(cut) <= len("`.item()` reads the data of ``") + LONGEST
