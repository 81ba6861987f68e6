"""The list of NumPy's traced functions against `torch._numpy`, and what it is used for."""

from __future__ import annotations

import importlib

import pytest

from compilelint.torchfacts import Reason, load
from compilelint.torchfacts.arrays import ALIASES, TRACED, leaves_graph


def test_a_function_that_torch_does_not_implement_ends_the_graph() -> None:
    facts = load("2.13.0")
    for name in ("numpy.polyfit", "numpy.ndindex", "numpy.linalg.vector_norm", "numpy.random.beta"):
        found = facts.callable(name)
        assert found is not None
        assert found.breaks
        assert found.reason is Reason.NUMPY


@pytest.mark.parametrize(
    "name", ["numpy.tanh", "numpy.concat", "numpy.linalg.qr", "numpy.testing.assert_equal", "math.nan"]
)
def test_what_is_traced_or_not_known_does_not(name: str) -> None:
    assert not leaves_graph(name)


@pytest.mark.dynamo
@pytest.mark.parametrize("module", sorted(TRACED))
def test_the_list_is_what_the_installed_torch_has(module: str) -> None:
    numpy = importlib.import_module(module)
    written = importlib.import_module(module.replace("numpy", "torch._numpy", 1))
    names = {
        name
        for name in dir(written)
        if not name.startswith("_") and callable(getattr(written, name)) and hasattr(numpy, name)
    }
    assert TRACED[module] == names


@pytest.mark.dynamo
def test_an_alias_is_the_function_itself() -> None:
    import numpy

    ours = [getattr(numpy, name) for name in TRACED["numpy"]]
    for name in ALIASES:
        if hasattr(numpy, name):  # NumPy 1 has few of them
            assert any(getattr(numpy, name) is one for one in ours)
