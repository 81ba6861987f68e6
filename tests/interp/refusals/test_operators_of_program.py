"""Operators that a file registers: with kernels for devices alone, and with one for fake tensors."""

from __future__ import annotations

import pytest

from tests.support.worker_messages import check

TWICE = """
        torch.library.define("mine::twice", "(Tensor x) -> Tensor")

        @torch.library.impl("mine::twice", KEY)
        def twice(x):
            return x * 2
"""
CALL = """
        def f(x: Tensor):
            return torch.ops.mine.twice(x) + 1
"""
REPORTED = CALL.replace(" + 1", " + 1  # call torch.ops.mine.twice")
FAKE = """
        @torch.library.register_fake("mine::twice")
        def fake(x):
            return torch.empty_like(x)
"""
LIBRARY = """
        LIB = torch.library.Library("mine", "DEF")
        LIB.define("twice(Tensor x) -> Tensor")
        LIB.impl("twice", lambda x: x * 2, KEY)
"""


@pytest.mark.parametrize("key", ['"cpu"', '"CUDA"', '("cpu", "cuda")'])
@pytest.mark.parametrize("registration", [TWICE, LIBRARY])
def test_kernels_for_devices_alone(registration: str, key: str) -> None:
    check(registration.replace("KEY", key) + REPORTED)


@pytest.mark.parametrize("key", ['"default"', '"CompositeImplicitAutograd"', '"Meta"', "WHICH"])
@pytest.mark.parametrize("registration", [TWICE, LIBRARY])
def test_a_kernel_that_may_run_on_fake_tensors(registration: str, key: str) -> None:
    check(f"""
        from other import WHICH
{registration.replace("KEY", key)}{CALL}""")


def test_a_fake_kernel() -> None:
    check(TWICE.replace("KEY", '"cpu"') + FAKE + CALL)


def test_an_overload_and_the_operator_of_another_file() -> None:
    check(
        TWICE.replace("KEY", '"cpu"')
        + """
        OP = torch.ops.mine.twice.default

        def f(x: Tensor):
            return OP(x)  # call torch.ops.mine.twice.default

        def g(x: Tensor):
            return torch.ops.theirs.twice(x)
    """
    )


def test_a_registration_that_names_no_operator() -> None:
    check(
        TWICE.replace("KEY", '"cpu"')
        + """
        NAME = "mine::twice"
        torch.library.register_fake(NAME)(twice)
"""
        + CALL
    )
