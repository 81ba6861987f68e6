"""Functions under `nonstrict_trace`, and custom operators: what may go in and come back."""

from __future__ import annotations

import pytest

from tests.support.worker_messages import check

PROGRAM = """
        from torch.utils import _pytree

        @dataclass
        class Point:
            t: Tensor

        @dataclass
        class Known:
            t: Tensor

        _pytree.register_dataclass(Known)

        @torch._dynamo.nonstrict_trace
        def taken(value):
            return torch.zeros(3)
"""


@pytest.mark.parametrize("value", ["Point(x)", "[Point(x)]", "torch.sin"])
def test_what_does_not_go_in(value: str) -> None:
    check(f"""{PROGRAM}
        def f(x: Tensor):
            return taken({value})  # call taken
    """)


@pytest.mark.parametrize("value", ["x", "3", "'a'", "{'a': x}", "Known(x)", "nn.Linear(3, 3)"])
def test_what_goes_in(value: str) -> None:
    check(f"""{PROGRAM}
        MODULE = nn.Linear(3, 3)

        def f(x: Tensor):
            return taken({value.replace("nn.Linear(3, 3)", "MODULE")})
    """)


@pytest.mark.parametrize(
    ("value", "event"), [("Point(x)", "  # call made"), ("(x, 'a')", "  # call made"), ("(x, 3)", ""), ("{'b': x}", "")]
)
def test_what_comes_back(value: str, event: str) -> None:
    check(f"""{PROGRAM}
        @torch._dynamo.nonstrict_trace
        def made(x):
            return {value}

        def f(x: Tensor):
            return made(x){event}
    """)


def test_a_custom_operator_that_gives_a_number() -> None:
    check("""
        @torch.library.custom_op("mine::total", mutates_args=())
        def total(x: Tensor) -> float:
            return 1.0

        @torch.library.custom_op("mine::twice", mutates_args=())
        def twice(x: Tensor) -> Tensor:
            return x * 2

        def f(x: Tensor):
            return twice(x) * total(x)  # call total
    """)
