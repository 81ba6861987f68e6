"""The dtype that a function asks for before it chooses a way, read off its tests."""

from __future__ import annotations

import pytest

from compilelint.project.classes import ModuleInfo
from compilelint.survey.dtype_tests import converted_behind_a_test, dtype_asked_for
from compilelint.survey.scopes import expressions_of
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


@pytest.mark.parametrize(
    ("test", "expected"),
    [
        ("mask.dtype == torch.bool", True),
        ("mask.dtype in (torch.bool, torch.int8)", True),
        ("mask is not None and mask.dtype != x.dtype", True),
        ("x.dtype == torch.half", False),
        ("mask is not None", False),
    ],
)
def test_a_conversion_behind_a_test_of_its_own_dtype_makes_another_tensor(test: str, expected: bool) -> None:
    module = lowered(
        f"def f(x, mask):\n    if {test}:\n        mask = mask.to(x)\n    else:\n        mask = mask.to(0)\n"
    )
    (function,) = module.body
    assert isinstance(function, ir.Function)
    first, other = (one for one in expressions_of(module) if isinstance(one, ir.Call))
    assert converted_behind_a_test(function, first.pos) is expected
    assert not converted_behind_a_test(function, other.pos)
