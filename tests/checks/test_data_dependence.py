"""CL105 on small programs: an assertion needs data only where its condition is a tensor."""

from __future__ import annotations

import pytest

from compilelint.checks import rulebook
from compilelint.torchfacts import load
from tests.support.reveal import run

HEAD = """
def f(x: Tensor, size, config):
    {}
    return x
"""


def lines(assertion: str, version: str) -> int:
    book, facts = rulebook(), load(version)
    reported = [one for event in run(HEAD.format(assertion)) for one in book.findings_for(event, facts)]
    return sum(one.rule.code == "CL105" for one in reported)


@pytest.mark.parametrize(
    "assertion",
    [
        'torch._assert(x.sum() > 0, "data")',
        'torch._assert(condition=x.all(), message="data")',
    ],
)
def test_a_tensor_is_asserted_on(assertion: str) -> None:
    assert lines(assertion, "2.13.0") == 1


@pytest.mark.parametrize(
    "assertion",
    [
        'torch._assert(x.shape[0] == size, f"a size beside what is unknown: {size}")',
        'torch._assert(config.strict, "a setting")',
        'torch._assert(size % 4 == 0, "numbers, as far as one can see")',
    ],
)
def test_anything_else_is_no_read(assertion: str) -> None:
    assert lines(assertion, "2.13.0") == 0
