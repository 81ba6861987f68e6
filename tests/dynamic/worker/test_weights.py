"""The weights that a copy is built with, against the original's."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.dynamo


def _otherwise(wanted: dict[str, Any], own: dict[str, Any], again: dict[str, Any]) -> list[str]:
    import torch

    from compilelint.dynamic.worker.weights import built_otherwise

    first, second, third = ({name: torch.tensor(one) for name, one in part.items()} for part in (wanted, own, again))
    return [one["name"] for one in built_otherwise(first, second, lambda: third)]


@pytest.mark.parametrize(
    ("own", "again", "differ"),
    [
        pytest.param({"w": [1.0, 2.0]}, {}, [], id="the same"),
        pytest.param({"w": [1.0, 2.5]}, {"w": [1.0, 2.5]}, ["w"], id="others each time"),
        pytest.param({"w": [1.0, 2.5]}, {"w": [1.0, 7.0]}, [], id="others by chance"),
        pytest.param({"w": [0.0, 0.0]}, {"w": [float("nan")] * 2}, [], id="never written"),
        pytest.param({"w": [1.0]}, {"w": [1.0]}, ["w"], id="another shape"),
        pytest.param({"w": [1.0, 2.5]}, {}, ["w"], id="it cannot be built again"),
        pytest.param({"v": [1.0, 2.5]}, {"v": [1.0, 2.5]}, [], id="a name of one alone"),
    ],
)
def test_weights_differ_where_they_do_so_each_time(own: Any, again: Any, differ: list[str]) -> None:
    assert _otherwise({"w": [1.0, 2.0]}, own, again) == differ


def test_a_copy_takes_over_what_fits(tmp_path: Path) -> None:
    import torch

    from compilelint.dynamic.worker.weights import take_over, weights_of

    model = torch.nn.Linear(2, 3)
    saved = {"weight": torch.zeros(3, 2), "bias": torch.zeros(4), "gone": torch.zeros(1)}
    torch.save({"first_weights": saved}, tmp_path / "kept")
    bias = weights_of(model)["bias"]
    assert take_over(model, str(tmp_path / "kept")).keys() == saved.keys()
    assert not model.weight.any()
    assert torch.equal(model.bias, bias)
    assert weights_of(torch.sin) == {}
