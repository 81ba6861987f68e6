"""What a parameter holds in a call: what is passed, held against its annotation and its default."""

from __future__ import annotations

import pytest

from tests.support.reveal import check


@pytest.mark.parametrize(
    ("parameter", "belief"),
    [
        pytest.param("given", "tensor input", id="nothing speaks against it"),
        pytest.param("given=1.0", "tensor input", id="a number by default is often a tensor in truth"),
        pytest.param("given=False", "tensor input possible", id="a flag never is"),
        pytest.param("given='mean'", "tensor input possible", id="a text never is"),
        pytest.param("given: Tensor", "tensor input", id="annotated as one"),
        pytest.param("given: int", "tensor input likely", id="annotated as a number"),
        pytest.param("given: str", "tensor input possible", id="annotated as a text"),
    ],
)
def test_a_tensor_that_is_passed_is_believed_as_far_as_the_parameter_allows(parameter: str, belief: str) -> None:
    check(f"""
        def callee({parameter}):
            reveal_type(given)  # {belief}

        def f(x: Tensor):
            callee(x)
    """)


def test_the_annotation_speaks_for_what_is_not_known_beside_a_number() -> None:
    check("""
        def callee(given: int):
            reveal_type(given)  # int
            if isinstance(given, torch.Tensor):
                reveal_type(given)  # not reached

        def f(x: Tensor, flag, other):
            callee(3 if flag else other.n)
    """)


def test_the_annotation_is_not_believed_beside_what_it_excludes() -> None:
    check("""
        def callee(given: int):
            reveal_type(given)  # 'a' | ?

        def f(x: Tensor, flag, other):
            callee("a" if flag else other.n)
    """)
