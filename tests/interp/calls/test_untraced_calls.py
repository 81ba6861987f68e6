"""What a call gives of a function that Dynamo does not enter: what the annotation promises, as its body makes it."""

from __future__ import annotations

import pytest

from tests.support.reveal import check

PROGRAM = """
    @torch.library.custom_op("mine::at", mutates_args=())
    def at(mask: Tensor)RETURNS:
        return BODY

    def f(x: Tensor):
        y = at(x > 0)
        reveal_type(y)  # EXPECTED
"""


@pytest.mark.parametrize(
    ("returns", "body", "expected"),
    [
        (" -> Tensor", "mask.nonzero(as_tuple=True)[0][0].clone()", "tensor int 0-d computed likely"),
        (" -> Tensor", "mask.nonzero().float()", "tensor float 2-d computed likely"),
        pytest.param(" -> Tensor", "outside(mask)", "tensor computed likely", id="the body gives what is unknown"),
        pytest.param("", "mask.nonzero()[0]", "?", id="nothing is promised"),
    ],
)
def test_an_operator_gives_what_its_body_makes(returns: str, body: str, expected: str) -> None:
    check(PROGRAM.replace("RETURNS", returns).replace("BODY", body).replace("EXPECTED", expected))
