"""Parameters without annotation that are handed to a custom operator, which takes tensors there."""

from __future__ import annotations

import pytest

from tests.support.reveal import check

OPERATOR = """\
@torch.library.custom_op("cases::write", mutates_args={"cache"})
def write(cache: Tensor, value: float, mask: Optional[Tensor] = None) -> None:
    cache.fill_(value)

def plain(cache: Tensor): ...

"""


@pytest.mark.parametrize(
    ("belief", "line"),
    [
        pytest.param("tensor input likely", "write(given, 1.0)", id="by position"),
        pytest.param("tensor input likely", "write(value=1.0, cache=given)", id="by name"),
        pytest.param("?", "write(y, given)", id="as a number"),
        pytest.param("?", "write(y, 1.0, given)", id="as a tensor or None"),
        pytest.param("?", "write(given.data, 1.0)", id="something of it"),
        pytest.param("?", "given = given.data; write(given, 1.0)", id="bound again"),
        pytest.param("?", "plain(given)", id="to a plain function, which promises only"),
        pytest.param("?", "unknown(given)", id="to what is not seen"),
    ],
)
def test_what_an_operator_takes_as_a_tensor_is_one(belief: str, line: str) -> None:
    check(f"{OPERATOR}def f(given, y: Tensor):\n    reveal_type(given)  # {belief}\n    {line}\n")
