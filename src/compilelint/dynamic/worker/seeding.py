"""Starts torch's random numbers: of the processor alone where there is nothing else, which is a hundred times faster.

`torch.manual_seed` keeps a stack trace for each kind of device that might be used later; a proof seeds some hundred
times a target.
"""

from __future__ import annotations

import functools

import torch


def seed_torch(seed: int) -> None:
    """What `torch.manual_seed` does."""
    if _only_processor():
        torch.default_generator.manual_seed(seed)
    else:
        torch.manual_seed(seed)


def generators() -> list[torch.Tensor]:
    """What torch's generators of the host and, where they are in use, of devices hold: it changes with each draw."""
    states = [torch.get_rng_state()]
    if not _only_processor() and torch.cuda.is_initialized():
        states += torch.cuda.get_rng_state_all()
    return states


def drew_since(before: list[torch.Tensor]) -> bool:
    """Whether torch's generators hold something else than before; a device that came into use since has its own."""
    now = generators()
    return len(now) != len(before) or not all(torch.equal(one, other) for one, other in zip(before, now, strict=True))


@functools.cache
def _only_processor() -> bool:
    """Whether torch can use no other device in this process."""
    others = [torch.cuda, torch.backends.mps, getattr(torch, "xpu", None), getattr(torch, "mtia", None)]
    return not any(one is not None and one.is_available() for one in others)
