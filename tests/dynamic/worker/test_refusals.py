"""Who refused a call: torch, or a lookup of Python's own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

pytestmark = pytest.mark.dynamo


def _raised(call: Callable[[], Any]) -> bool:
    from compilelint.dynamic.worker.refusals import refused_by_torch

    try:
        call()
    except Exception as error:  # noqa: BLE001 - of every class
        return refused_by_torch(error.__traceback__, call)
    raise AssertionError("nothing was raised")


def _of_torch() -> dict[str, Callable[[], Any]]:
    import torch

    empty = torch.ones(0, 3)
    return {
        "an index": lambda: empty[0],
        "a method": empty.max,
        "an operator": lambda: empty + torch.ones(2),
        "its Python": lambda: torch.nn.functional.interpolate(torch.ones(1, 1), size=3),
        "a layer": lambda: torch.nn.Linear(2, 2)(empty),
        "a truth value": lambda: 1 if torch.ones(0, 2) else 2,
    }


def _of_python() -> dict[str, Callable[[], Any]]:
    import random

    import torch

    empty = torch.ones(0, 3)
    return {
        "a list": lambda: [][len(empty)],
        "a dict": lambda: {1: 2}[empty.shape[0]],
        "a sum of kinds": lambda: "a" + empty.shape[0],
        "a division": lambda: 1 / empty.shape[0],
        "the standard library": lambda: random.choice(list(empty)),
    }


@pytest.mark.parametrize("name", ["an index", "a method", "an operator", "its Python", "a layer", "a truth value"])
def test_torch_refuses(name: str) -> None:
    assert _raised(_of_torch()[name])


@pytest.mark.parametrize("name", ["a list", "a dict", "a sum of kinds", "a division", "the standard library"])
def test_python_refuses(name: str) -> None:
    assert not _raised(_of_python()[name])


def test_what_is_raised_no_more_counts_as_torch_s() -> None:
    left = [1]
    assert _raised(lambda: None if not left else [][left.pop()])
