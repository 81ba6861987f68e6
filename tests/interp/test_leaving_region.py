"""What a compiled function returns and Dynamo cannot rebuild, and compiled generator functions."""

from __future__ import annotations

import pytest

from tests.support.worker_messages import check

LEAVES = (
    ("(i for i in [1, 2])", "syntax a generator that is returned"),
    ("enumerate([1, 2])", "syntax a generator that is returned"),
    ("managed(2)", "syntax a context manager that is returned"),
)
REBUILT = ("zip([1], [2])", "map(torch.sin, [x])", "iter([1])", "torch.no_grad()", "numbers()", "None")
MANAGED = """
        import contextlib

        @contextlib.contextmanager
        def managed(k):
            yield k

        def numbers():
            yield 1
"""


@pytest.mark.parametrize(("value", "event"), LEAVES)
def test_what_is_returned_beside_a_tensor(value: str, event: str) -> None:
    check(f"""{MANAGED}
        def f(x: Tensor):
            return x + 1, {value}  # {event}

        def alone(x: Tensor):
            return {value}
    """)


@pytest.mark.parametrize("value", REBUILT)
def test_what_is_rebuilt(value: str) -> None:
    check(f"""{MANAGED}
        def f(x: Tensor):
            return x + 1, {value}
    """)


def test_what_traced_code_takes_never_leaves() -> None:
    check(f"""{MANAGED}
        def inner(x: Tensor):
            return x + 1, managed(2)

        def outer(x: Tensor):
            y, manager = inner(x)
            with manager as k:
                return y * k
    """)


def test_a_generator_function_is_refused_where_it_is_what_is_compiled() -> None:
    check(
        """
        def walked(x: Tensor):
            yield x

        def walks(x: Tensor):
            return list(walked(x))

        def compiled(x: Tensor):  # syntax a generator function as the compiled function
            yield x

        class Model(nn.Module):
            def forward(self, x: Tensor):
                yield x
        """,
        roots=("all",),
    )


def test_a_context_manager_that_does_not_yield_is_not_entered() -> None:
    check("""
        import contextlib

        @contextlib.contextmanager
        def given_back(k):
            return iter([k])

        @contextlib.contextmanager
        def yielded(k):
            yield k

        def f(x: Tensor):
            with given_back(2) as k:  # syntax with
                return x * k

        def g(x: Tensor):
            with yielded(2) as k:
                return x * k
    """)
