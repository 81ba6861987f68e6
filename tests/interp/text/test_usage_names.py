"""What is a tensor by the names of its members is never certain: any class may have a member of that name."""

from __future__ import annotations

from itertools import pairwise

import pytest

from compilelint.interp.driver.witness import Witness, revealed
from compilelint.interp.text.usage import TENSOR_NAMES, TENSOR_ONLY
from compilelint.model import Confidence
from compilelint.values import Tensor, arms
from tests.support.reveal import run


def believed(program: str) -> list[Confidence]:
    """How sure each revealed value is a tensor."""
    values = [value for event in run(program, ("all",), interpreter=Witness) for value in revealed(event)]
    return [arm.confidence for value in values for arm in arms(value) if isinstance(arm, Tensor)]


@pytest.mark.parametrize("spelled", ["value.{0}()", "value.{0}"])
def test_a_member_that_tensors_have_makes_no_certain_tensor(spelled: str) -> None:
    names = sorted(TENSOR_ONLY)
    lines = [
        f"def f{number}(value):\n    {spelled.format(name)}\n    {spelled.format(other)}\n    reveal_type(value)\n"
        for number, (name, other) in enumerate(pairwise(names))
    ]
    found = believed("".join(lines))
    assert len(found) > len(names) / 2
    assert max(found) < Confidence.CERTAIN


def test_nor_does_the_name_of_a_parameter() -> None:
    lines = [f"def f{number}({name}):\n    reveal_type({name})\n" for number, name in enumerate(sorted(TENSOR_NAMES))]
    found = believed("".join(lines))
    assert found
    assert max(found) < Confidence.CERTAIN
