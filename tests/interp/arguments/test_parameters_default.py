"""What a parameter of a root holds: annotation against default."""

from __future__ import annotations

import pytest

from tests.support.reveal import check


@pytest.mark.parametrize(
    ("parameter", "belief"),
    [
        pytest.param("scale: Tensor", "tensor input", id="no default"),
        pytest.param("scale: Tensor | float", "float | tensor input", id="a union without a default"),
        pytest.param("scale: Tensor | float = 1.0", "float | tensor input possible", id="most calls take the default"),
        pytest.param("scale: Tensor | None = None", "None | tensor input", id="None is as good as a tensor"),
    ],
)
def test_a_default_beside_a_tensor_makes_the_tensor_merely_possible(parameter: str, belief: str) -> None:
    check(f"""
        def f(x: Tensor, {parameter}):
            reveal_type(scale)  # {belief}
    """)
