"""A side of a pair, a training step around a compiled model, and how both are timed. Needs torch alone."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from benchmarks.advice.models import batch, device, loss_of, make


@dataclass
class Side:
    """`step` runs once and gives a number or tensor; a `story` is timed once, from a process that compiled nothing."""

    step: Callable[[], Any]
    story: bool = False
    before: Callable[[], object] = lambda: None  # what sets the process up for this side


class Trainer:
    """A training step around a compiled model, with one switch for each advice."""

    def __init__(
        self,
        name: str,
        size: int | None = None,
        mode: str | None = None,
        fused: bool = False,
        autocast: bool = True,
        channels_last: bool = False,
        read_every: int = 0,
        large: bool = False,
    ) -> None:
        self.model = make(name, large)
        small = 8 if name == "language" else 64
        self.inputs, self.target = batch(name, size or (small * (3 if name == "language" else 8) if large else small))
        if channels_last:
            self.model = self.model.to(memory_format=torch.channels_last)
            self.inputs = self.inputs.to(memory_format=torch.channels_last)
        self.compiled = torch.compile(self.model, mode=mode)
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=1e-4, fused=True if fused else None)
        self.autocast, self.read_every = autocast, read_every
        self.number, self.log = 0, 0.0

    def __call__(self) -> Tensor:
        with torch.autocast(device(), torch.bfloat16, enabled=self.autocast):
            loss = loss_of(self.compiled(self.inputs), self.target)
        loss.backward()
        self.optimizer.step()
        self.optimizer.zero_grad()
        self.number += 1
        if self.read_every and self.number % self.read_every == 0:
            self.log += loss.item()
        return loss.detach()


def timed(
    sides: dict[str, Side], rounds: int, steps: int = 20, ready: Callable[[], object] = lambda: None
) -> dict[str, dict[str, Any]]:
    """Of each side the seconds of a step in each round, in turns; its peak of device memory; what its first steps gave.

    Of a story, the seconds of all of it, once. `ready` is called when all is compiled, before the first clock is read.
    """
    found: dict[str, dict[str, Any]] = {name: {"seconds": []} for name in sides}
    for name, side in sides.items():
        side.before()
        if not side.story:
            found[name]["result"] = [float(side.step()) for _ in range(8)][-1]
    gpu = torch.cuda.is_available()
    ready()
    for number in range(1 if any(side.story for side in sides.values()) else rounds):
        for name in sides if number % 2 == 0 else reversed(sides):
            side = sides[name]
            side.before()
            wait()
            if gpu:
                torch.cuda.reset_peak_memory_stats()
            begun = time.perf_counter()
            last = [side.step() for _ in range(1 if side.story else steps)][-1]
            wait()
            found[name]["seconds"].append((time.perf_counter() - begun) / (1 if side.story else steps))
            found[name].setdefault("result", float(last))
            found[name]["peak_mb"] = torch.cuda.max_memory_allocated() / 2**20 if gpu else 0.0
    return found


def wait() -> None:
    """Until the device has done what it was given."""
    if torch.cuda.is_available():
        torch.cuda.synchronize()
