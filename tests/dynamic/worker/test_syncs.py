"""Which operations of a call wait for a device, with the line that asks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

pytestmark = pytest.mark.dynamo


CALLS: dict[str, tuple[Callable[[Any], Any], list[str]]] = {
    "item": (lambda x: x * x.max().item(), ["item"]),
    "truth of a tensor": (lambda x: x if x.sum() > 0 else -x, ["item"]),
    "where": (lambda x: x.nonzero(), ["nonzero"]),
    "a mask as an index": (lambda x: x[x > 0], ["index"]),
    "twice": (lambda x: int(x.max()) + float(x.min()), ["item", "item"]),
    "whole numbers as an index decide no shape": (lambda x: x[x.argmax(-1)], []),
    "a mask that fills decides no shape": (lambda x: x.masked_fill(x > 0, 0.0), []),
    "a copy on the host leaves no device": (lambda x: x.double().cpu(), []),
}


@pytest.mark.parametrize(("function", "expected"), CALLS.values(), ids=CALLS)
def test_what_waits(function: Callable[[Any], Any], expected: list[str]) -> None:
    import torch

    from compilelint.dynamic.worker.syncs import syncs_of

    seen = syncs_of(function, (torch.eye(2),), {})
    assert [one.text().partition(" ")[2].strip("()") for one in seen] == expected
    assert all("test_syncs.py:" in one.place for one in seen)
