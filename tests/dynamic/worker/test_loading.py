"""What a factory may return: a model, or a tuple of one and what to call it with."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

pytestmark = pytest.mark.dynamo


def called_with(make: Callable[[Any, Any], Any]) -> list[tuple[list[str], dict[str, str]]]:
    """The types that the model of a factory is called with; `make` gets a model of (x, mask=None) and a tensor."""
    import torch

    from compilelint.dynamic.worker.inputs import _found
    from compilelint.dynamic.worker.loading import build

    class Net(torch.nn.Module):  # type: ignore[misc]
        def forward(self, x: Any, mask: Any = None) -> Any:
            return x if mask is None else x * mask

    def factory() -> Any:
        return make(Net(), torch.ones(2, 4))

    source, calls = _found(build(factory, {}))
    assert source == "the factory"
    return [
        ([type(one).__name__ for one in args], {name: type(one).__name__ for name, one in named.items()})
        for args, named in calls
    ]


ONE: list[Any] = [(["Tensor"], {})]
MASKED: list[Any] = [(["Tensor"], {"mask": "Tensor"})]
RETURNS: dict[str, tuple[Callable[[Any, Any], Any], Any]] = {
    "a tuple of inputs": (lambda net, x: (net, (x,)), ONE),
    "a list of inputs": (lambda net, x: (net, [x]), ONE),
    "two inputs": (lambda net, x: (net, (x, x)), [(["Tensor", "Tensor"], {})]),
    "one tensor": (lambda net, x: (net, x), ONE),
    "named inputs": (lambda net, x: (net, {"x": x, "mask": x}), [([], {"x": "Tensor", "mask": "Tensor"})]),
    "args and kwargs": (lambda net, x: (net, (x,), {"mask": x}), MASKED),
    "one call as a tuple": (lambda net, x: (net, ((x,), {"mask": x})), MASKED),
    "several calls": (lambda net, x: (net, [((x,), {}), ((x,), {"mask": x})]), ONE + MASKED),
    "a dict that names no parameter is an input": (lambda net, x: (net, ((x,), {"a": x})), [(["tuple", "dict"], {})]),
}


@pytest.mark.parametrize(("make", "expected"), RETURNS.values(), ids=RETURNS)
def test_what_a_factory_may_return(make: Callable[[Any, Any], Any], expected: Any) -> None:
    assert called_with(make) == expected


@pytest.mark.parametrize(
    "make",
    [
        pytest.param(lambda net, x: (net, 3), id="a number is no tuple of inputs"),
        pytest.param(lambda net, x: (net, "name"), id="nor is a text"),
        pytest.param(lambda net, x: (net, (x,), 3), id="kwargs are a dict"),
        pytest.param(lambda net, x: (net, (x,), {}, {}), id="four values mean nothing"),
    ],
)
def test_anything_else_is_refused_with_what_may_be_returned(make: Callable[[Any, Any], Any]) -> None:
    from compilelint.dynamic.worker.loading import TargetKindError

    with pytest.raises(TargetKindError, match=r"returned \(Net, .*a factory returns model, \(model, inputs\)"):
        called_with(make)


def test_a_function_that_returns_tensors_is_compiled_itself() -> None:
    import torch

    from compilelint.dynamic.worker.loading import build

    def pair() -> Any:
        return torch.ones(1), torch.ones(1)

    assert build(pair, {}).function is pair
