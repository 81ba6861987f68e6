"""The pairs that need several GPUs: in which order to compile and to distribute. Needs torch and two or more GPUs.

    torchrun --nproc-per-node 2 -m benchmarks.advice.parallel OUT.jsonl [--pair NAME ...] [--process 0] [--rounds 5]

One launch measures each pair for both models, both sides in turns, and appends the lines of rank 0 as `measure` writes
them. `ddp_order`: `DDP(torch.compile(model))`, after it `torch.compile(DDP(model))`. `ddp_overlap`: the whole model as
one graph, whose gradients are reduced when all of it is done (`optimize_ddp=False`), after it one graph for each
bucket. `fsdp_blocks`: `fully_shard` for each block, then the whole model compiled, after it each block.
"""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
import torch.distributed as dist
from torch import Tensor, nn
from torch.distributed.fsdp import fully_shard
from torch.nn.parallel import DistributedDataParallel

from benchmarks.advice.models import batch, loss_of, make
from benchmarks.advice.sides import Side, timed


class Step:
    """A training step of a model that is spread over the GPUs; `large` sizes fill them."""

    def __init__(self, name: str, model: nn.Module, plain: nn.Module) -> None:
        self.model = model
        inputs, target = batch(name, 24 if name == "language" else 512, seed=dist.get_rank())
        self.inputs, self.target = inputs, target
        self.optimizer = torch.optim.AdamW(plain.parameters(), lr=1e-4, fused=True)

    def __call__(self) -> Tensor:
        with torch.autocast("cuda", torch.bfloat16):
            loss = loss_of(self.model(self.inputs), self.target)
        loss.backward()
        self.optimizer.step()
        self.optimizer.zero_grad()
        return loss.detach()


def ddp_order(name: str, after: bool) -> Side:
    """Compile what DDP wraps, or what DDP gives."""
    model = make(name, large=True)
    if after:
        return Side(Step(name, torch.compile(DistributedDataParallel(model)), model))
    return Side(Step(name, DistributedDataParallel(torch.compile(model)), model))


def ddp_overlap(name: str, after: bool) -> Side:
    """One graph whose gradients come at its end, or one for each bucket of gradients."""
    model = make(name, large=True)
    buckets = after

    def before() -> None:
        torch._dynamo.config.optimize_ddp = buckets

    return Side(Step(name, torch.compile(DistributedDataParallel(model)), model), before=before)


def fsdp_blocks(name: str, after: bool) -> Side:
    """Compile the model of sharded blocks as a whole, or each block."""
    model = make(name, large=True)
    blocks = model.blocks if name == "language" else model.layers
    assert isinstance(blocks, (nn.ModuleList, nn.Sequential))
    for block in blocks:
        fully_shard(block)
    fully_shard(model)
    if after:
        for block in blocks:
            block.compile()
    else:
        model.compile()
    return Side(Step(name, model, model))


PAIRS: dict[str, Callable[[str, bool], Side]] = {one.__name__: one for one in (ddp_order, ddp_overlap, fsdp_blocks)}


def main() -> None:
    """What one launch measures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("--pair", action="append", default=[], choices=list(PAIRS))
    parser.add_argument("--process", type=int, default=0)
    parser.add_argument("--rounds", type=int, default=5)
    args = parser.parse_args()
    torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    dist.init_process_group("nccl")
    for pair in args.pair or PAIRS:
        for model in ("language", "vision"):
            torch._dynamo.reset()
            found, error = {}, ""
            try:
                found = timed({side: PAIRS[pair](model, side == "after") for side in ("before", "after")}, args.rounds)
            except (
                RuntimeError
            ) as raised:  # Dynamo's and NCCL's errors; the lines say so, and the next pair is measured
                error = f"{type(raised).__name__}: {raised}"[:300]
            if dist.get_rank() == 0:
                _write(args.out, {"pair": pair, "model": model, "process": args.process, "error": error}, found)
    dist.destroy_process_group()


def _write(out: Path, names: dict[str, Any], found: dict[str, dict[str, Any]]) -> None:
    """The lines of one pair and model."""
    known = {"torch": torch.__version__, "device": torch.cuda.get_device_name(), "story": False}
    known["gpus"] = dist.get_world_size()
    with out.open("a") as file:
        for side in ("before", "after"):
            file.write(json.dumps({**names, "side": side, **known, **found.get(side, {})}, sort_keys=True) + "\n")
    took = " ".join(f"{side} {min(line['seconds']) * 1e3:.2f} ms" for side, line in found.items())
    print(f"{names['process']} {names['pair']} {names['model']}: {took} {names['error']}", flush=True)


if __name__ == "__main__":
    main()
