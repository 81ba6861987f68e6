"""What a model is called with where nothing says it: the usual inputs of its first layer, the first that it takes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

pytestmark = pytest.mark.dynamo


def model(name: str) -> Any:
    import torch
    from torch import nn

    class Attention(nn.Module):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.mix = nn.Linear(16, 16)

        def forward(self, x: Any) -> Any:
            batch, length, _ = x.shape
            return torch.softmax(self.mix(x) @ x.transpose(1, 2), -1).reshape(batch, length, length)

    def images(channels: int, width: int) -> Any:
        return nn.Sequential(nn.Conv2d(channels, 2, 1), nn.Flatten(), nn.Linear(2 * width * width, 4))

    makers: dict[str, Callable[[], Any]] = {
        "digits": lambda: images(1, 28),
        "photographs": lambda: images(3, 224),
        "any image": lambda: nn.Sequential(nn.Conv2d(3, 2, 3), nn.AdaptiveAvgPool2d(1)),
        "sequence": Attention,
        "tokens": lambda: nn.Sequential(nn.Embedding(10, 4), nn.Linear(4, 2)),
        "signal": lambda: nn.Conv1d(1, 2, 400, stride=160),
        "flattened": lambda: nn.Sequential(nn.Flatten(), nn.Linear(784, 4)),
    }
    return makers[name]()


@pytest.mark.parametrize(
    ("name", "shape"),
    [
        ("digits", (2, 1, 28, 28)),
        ("photographs", (2, 3, 224, 224)),
        ("any image", (2, 3, 64, 64)),
        ("sequence", (2, 8, 16)),
        ("tokens", (2, 8)),
        ("signal", (2, 1, 1024)),
        ("flattened", (2, 784)),
    ],
)
def test_the_first_usual_input_that_the_model_takes(name: str, shape: tuple[int, ...]) -> None:
    from compilelint.dynamic.worker.inputs import _found
    from compilelint.dynamic.worker.loading import Loaded

    source, ((args, named),) = _found(Loaded(model(name), None, None))
    assert source == "a guess from the first layer"
    assert tuple(args[0].shape) == shape
    assert named == {}
