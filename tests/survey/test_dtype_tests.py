"""The dtype that a function asks for before it chooses a way, read off its tests."""

from __future__ import annotations

import pytest

from compilelint.project.classes import ModuleInfo
from compilelint.survey.dtype_tests import dtype_asked_for
from compilelint.syntax import ir
from tests.support.reveal import lowered

CAN = """
def can(w):
    if {test}:
        return False
    return True

def product(x, w):
    if {outer}:
        return fast(x, w)
    return slow(x, w)
"""


@pytest.mark.parametrize(
    ("test", "outer", "expected"),
    [
        pytest.param("w.dtype != torch.bfloat16", "can(w)", "torch.bfloat16", id="in a function that a test calls"),
        pytest.param("False", "x.dtype == torch.float16", "torch.float16", id="in its own test"),
        pytest.param("False", "torch.float16 == x.dtype", "torch.float16", id="the other way round"),
        pytest.param("False", "x.dtype == w.dtype", "", id="of two tensors"),
        pytest.param("w.dtype != torch.bfloat16", "x.is_cuda", "", id="in a function that no test calls"),
    ],
)
def test_the_dtype_that_a_test_names(test: str, outer: str, expected: str) -> None:
    module = lowered(CAN.format(test=test, outer=outer))
    node = next(s for s in module.body if isinstance(s, ir.Function) and s.name == "product")
    assert dtype_asked_for(ModuleInfo(module, True).function(node)) == expected
