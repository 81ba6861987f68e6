"""Programs that show a `Quirk`: what the compiled program leaves behind, asked after one call. Needs torch."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import torch
import torch._dynamo as dynamo
from torch._dynamo.utils import counters

from compilelint.torchfacts.vocabulary import Quirk


def _unfinished_generator() -> bool:
    """Whether gradients stay off after a generator that was left inside its `no_grad`."""

    def steps() -> Iterator[int]:
        with torch.no_grad():
            yield 1
            yield 2

    def left(x: torch.Tensor) -> torch.Tensor:
        for step in steps():
            x = x * step
            break
        return x * 2

    with torch.enable_grad():
        torch.compile(left, backend="eager")(torch.ones(1))
        return not torch.is_grad_enabled()


def _library_in_place() -> bool:
    """Whether `compile()` of a bare layer makes no graph."""
    layer = torch.nn.Linear(2, 2)
    layer.compile(backend="eager")
    layer(torch.ones(2, 2))
    return bool(counters["stats"]["unique_graphs"] == 0)


_PROGRAMS: dict[Quirk, Callable[[], bool]] = {
    Quirk.UNFINISHED_GENERATOR: _unfinished_generator,
    Quirk.LIBRARY_IN_PLACE: _library_in_place,
}


def quirks() -> frozenset[str]:
    """The quirks that the installed torch has, by their values."""
    found = set()
    for quirk, shows in _PROGRAMS.items():
        dynamo.reset()
        counters.clear()
        if shows():
            found.add(quirk.value)
    return frozenset(found)
