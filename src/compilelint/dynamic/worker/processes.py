"""One process of two that do the same, where there is one: collective calls are answered, and each is noted.

torch has a backend for this (`fake`), in which every collective call succeeds, gathers what it was given and adds
nothing. What a change takes away of such calls no run of a single process shows, since code asks how many processes
there are.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

_COLLECTIVE = frozenset({"c10d", "_c10d_functional", "c10d_functional"})
_PROCESSES = 2


def may_communicate() -> bool:
    """Whether this torch has collective calls, and joined no other processes yet."""
    return torch.distributed.is_available() and not torch.distributed.is_initialized()


def join(function: Any, make: Any) -> Any:
    """The target, in a process that is the first of two from now on."""
    from torch.testing._internal.distributed.fake_pg import FakeStore

    torch.distributed.init_process_group("fake", rank=0, world_size=_PROCESSES, store=FakeStore())
    return function


@contextlib.contextmanager
def noting_calls() -> Iterator[list[str]]:
    """Keep which collective calls are made, in their order, with the shapes and dtypes of what they are given."""
    noted: list[str] = []
    owner: Any = torch.distributed
    before = owner.all_reduce

    def all_reduce(tensor: torch.Tensor, op: Any = owner.ReduceOp.SUM, *args: Any, **named: Any) -> Any:
        made = before(tensor, op, *args, **named)
        if op == owner.ReduceOp.SUM:
            with torch.no_grad():
                tensor.mul_(_PROCESSES)  # the other process sends the same
        return made

    owner.all_reduce = all_reduce
    try:
        with _Collectives(noted):
            yield noted
    finally:
        owner.all_reduce = before


class _Collectives(TorchDispatchMode):  # type: ignore[misc]
    def __init__(self, noted: list[str]) -> None:
        super().__init__()
        self._noted = noted

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if getattr(func, "namespace", "") in _COLLECTIVE:
            given = [one for one in tree_leaves(args) if isinstance(one, torch.Tensor)]
            shapes = " ".join(f"{one.dtype}{[*one.shape]}".removeprefix("torch.") for one in given)
            self._noted.append(f"{getattr(func, '__name__', func)} {shapes}")
        return func(*args, **(kwargs or {}))
