"""A second device that refuses what CUDA refuses, and takes what it takes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

pytestmark = pytest.mark.dynamo


@pytest.mark.parametrize(
    ("work", "where"),
    [
        pytest.param(lambda torch, x, i: x + torch.ones(3, device=x.device), "lazy", id="made beside it"),
        pytest.param(lambda torch, x, i: x + torch.tensor(2.0), "lazy", id="one number of the host"),
        pytest.param(lambda torch, x, i: torch.tensor([1.0], device=x.device) + x, "lazy", id="made from a list"),
        pytest.param(lambda torch, x, i: torch.ones(3).to(x), "lazy", id="moved"),
        pytest.param(lambda torch, x, i: x.to("cpu"), "cpu", id="moved back"),
        pytest.param(lambda torch, x, i: torch.arange(4.0)[i], "cpu", id="a table of the host, one index"),
        pytest.param(lambda torch, x, i: x[torch.tensor([0])], "lazy", id="an index of the host"),
        pytest.param(lambda torch, x, i: torch.ones(3).copy_(x), "cpu", id="copied into"),
    ],
)
def test_what_a_device_takes(work: Callable[..., Any], where: str) -> None:
    import torch

    from compilelint.dynamic.worker.elsewhere import moved, second_device

    with second_device():
        assert work(torch, moved(torch.ones(3)), moved(torch.tensor(2))).device.type == where


@pytest.mark.parametrize(
    "work",
    [
        pytest.param(lambda torch, x, i: x + torch.ones(3), id="a row of the host"),
        pytest.param(lambda torch, x, i: torch.ones(3) * i, id="one number of the device beside a row of the host"),
        pytest.param(lambda torch, x, i: torch.arange(4.0)[i.reshape(1)], id="a table of the host, a row of indices"),
        pytest.param(lambda torch, x, i: torch.cat([x, torch.ones(1)]), id="joined"),
    ],
)
def test_what_a_device_refuses(work: Callable[..., Any]) -> None:
    import torch

    from compilelint.dynamic.worker.elsewhere import moved, second_device

    with second_device(), pytest.raises(RuntimeError, match="same device"):
        work(torch, moved(torch.ones(3)), moved(torch.tensor(2)))


def test_a_module_is_moved_with_its_buffers_and_not_its_tables() -> None:
    import torch

    from compilelint.dynamic.worker.elsewhere import move_module, moved, second_device

    norm = torch.nn.BatchNorm1d(3)
    norm.table = torch.ones(3)
    move_module(norm)
    assert {one.device.type for one in (*norm.parameters(), *norm.buffers())} == {"lazy"}
    assert norm.table.device.type == "cpu"
    with second_device():
        assert norm(moved(torch.ones(2, 3))).shape == (2, 3)


def test_what_writes_returns_the_tensor_that_it_wrote() -> None:
    import torch

    from compilelint.dynamic.worker.elsewhere import moved, second_device

    with second_device():
        x = moved(torch.ones(3))
        assert x.add_(1) is x
        assert x.sum().item() == 6


def test_checkpoint_asks_for_the_module_of_the_device() -> None:
    import torch
    from torch.utils.checkpoint import checkpoint

    from compilelint.dynamic.worker.elsewhere import moved, second_device

    with second_device():
        assert checkpoint(torch.tanh, moved(torch.zeros(2)), use_reentrant=False).device.type == "lazy"
    assert not hasattr(torch, "lazy")
