"""Compiles something small once, so that what torch loads on first use is there before targets are forked off."""

from __future__ import annotations

import gc

import torch
import torch._dynamo


def warm_up() -> None:
    """Trace, break, resume, recompile with dynamic sizes; then keep the collector's hands off what is shared."""
    layer = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.LayerNorm(4))

    def small(x: torch.Tensor) -> torch.Tensor:
        x = layer(x)
        torch._dynamo.graph_break()
        for _ in range(2):
            x = x.reshape(-1, x.shape[-1]) * x.mean()
        return x

    compiled = torch.compile(small, backend="eager")
    with torch.random.fork_rng():
        for size in (2, 3, 5):
            compiled(torch.ones(size, 4))
    torch._dynamo.reset()
    gc.collect()
    gc.freeze()
