"""The pairs: each advice as code before it and after it, for one of two models. Needs torch alone.

A pair is a function of (`language` or `vision`, whether it is after) that gives a `Side`: a step to be timed, or a
whole `story` whose seconds count, start included. Both sides do the same work from the same seed; the number that they
give is compared.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import torch
from torch import Tensor, nn

from benchmarks.advice.models import batch, device, loss_of, make
from benchmarks.advice.serving import (
    compiled_twice,
    first_request,
    graph_for_each_size,
    kept_results,
    recorded_sizes,
    state_of_calls,
)
from benchmarks.advice.sides import Side, Trainer


def read_each_step(name: str, after: bool) -> Side:
    """`loss.item()` in each step, or in every 50th."""
    return Side(Trainer(name, read_every=50 if after else 1))


def read_each_step_graphed(name: str, after: bool) -> Side:
    """The same where the model is recorded as CUDA graphs and the device is the bottleneck."""
    return Side(
        Trainer(name, 32 if name == "language" else 256, "reduce-overhead", True, read_every=50 if after else 1)
    )


def read_each_step_large(name: str, after: bool) -> Side:
    """The same without graphs, on a model that fills the device."""
    return Side(Trainer(name, fused=True, read_every=50 if after else 1, large=True))


def fused_optimizer(name: str, after: bool) -> Side:
    """`AdamW(...)`, or `AdamW(..., fused=True)`."""
    return Side(Trainer(name, fused=after))


def fused_optimizer_large(name: str, after: bool) -> Side:
    """The same on a model that fills the device."""
    return Side(Trainer(name, fused=after, large=True))


def matmul_precision(name: str, after: bool, large: bool = False) -> Side:
    """float32 matrix products as they are, or `set_float32_matmul_precision("high")`."""

    def precision() -> None:
        torch.set_float32_matmul_precision("high" if after else "highest")

    precision()
    return Side(Trainer(name, autocast=False, large=large), before=precision)


def matmul_precision_large(name: str, after: bool) -> Side:
    """The same on a model that fills the device."""
    return matmul_precision(name, after, large=True)


def channels_last(name: str, after: bool) -> Side:
    """Convolutions over contiguous images, or over `channels_last` ones."""
    return Side(Trainer("vision", 32 if name == "language" else 128, channels_last=after))


def channels_last_large(name: str, after: bool) -> Side:
    """The same with batches that fill the device."""
    return Side(Trainer("vision", 256 if name == "language" else 512, fused=True, channels_last=after))


def graphs(name: str, after: bool) -> Side:
    """A batch of one, in the default mode or with `mode="reduce-overhead"`."""
    return Side(Trainer(name, 1, "reduce-overhead" if after else None))


def averaged_weights(name: str, after: bool, large: bool = False) -> Side:
    """A moving average of the weights, parameter by parameter or with `torch._foreach_lerp_`."""
    train = Trainer(name, fused=True, large=large)
    mine = [p.detach() for p in train.model.parameters()]
    average = [p.clone() for p in mine]

    def step() -> Tensor:
        loss = train()
        with torch.no_grad():
            if after:
                torch._foreach_lerp_(average, mine, 0.01)
            else:
                for kept, one in zip(average, mine, strict=True):
                    kept.mul_(0.99).add_(one, alpha=0.01)
        return loss

    return Side(step)


def averaged_weights_large(name: str, after: bool) -> Side:
    """The same on a model that fills the device."""
    return averaged_weights(name, after, large=True)


def copied_inputs_large(name: str, after: bool) -> Side:
    """The same on a model that fills the device."""
    return copied_inputs(name, after, large=True)


def copied_inputs(name: str, after: bool, large: bool = False) -> Side:
    """Batches copied from pageable memory, or from pinned memory with `non_blocking=True`."""
    train = Trainer(name, fused=True, large=large)
    host, target = batch(name, len(train.inputs), where="cpu")
    if after:
        host, target = host.pin_memory(), target.pin_memory()

    def step() -> Tensor:
        train.inputs = host.to(device(), non_blocking=after)
        train.target = target.to(device(), non_blocking=after)
        return train()

    return Side(step)


def _broken(module: nn.Module, inputs: tuple[Tensor, ...]) -> None:
    torch._dynamo.graph_break()


def broken_blocks(name: str, after: bool, mode: str | None = None, large: bool = False) -> Side:
    """A graph break in each block, or none: what `fullgraph=True` keeps out."""
    train = Trainer(name, 1 if mode else None, mode, fused=True, large=large)
    if not after:
        for block in train.model.blocks if name == "language" else train.model.layers:
            block.register_forward_pre_hook(_broken)
    return Side(train)


def broken_blocks_graphed(name: str, after: bool) -> Side:
    """The same with a batch of one under CUDA graphs."""
    return broken_blocks(name, after, "reduce-overhead")


def broken_blocks_large(name: str, after: bool) -> Side:
    """The same on a model that fills the device."""
    return broken_blocks(name, after, large=True)


def uneven_last_batch(name: str, after: bool) -> Side:
    """Three epochs of 20 batches whose last one is smaller, or is dropped."""
    train = Trainer(name, fused=True)
    inputs, target = train.inputs, train.target

    def story() -> float:
        for _ in range(3):
            for number in range(20):
                short = number == 19
                if short and after:
                    continue
                count = 5 if short else len(inputs)
                train.inputs, train.target = inputs[:count], target[:count]
                train()
        return 0.0

    return Side(story, story=True)


def _decode(model: Callable[[Tensor], Tensor], ids: Tensor, mark: bool) -> Tensor:
    for _ in range(64):
        if mark:
            torch._dynamo.mark_dynamic(ids, 1)
        ids = torch.cat([ids, model(ids)[:, -1:].argmax(-1)], 1)
    return ids


def growing_sequence(name: str, after: bool) -> Side:
    """64 tokens decoded by `cat`, the length seen by surprise or marked as dynamic; for `vision` a batch that grows."""
    model = make(name).eval().bfloat16()
    compiled = torch.compile(model)
    first, _ = batch(name, 1)

    def story() -> float:
        with torch.no_grad():
            if name == "language":
                return float(_decode(compiled, first[:, :8].contiguous(), after).sum())
            images = first.bfloat16()
            for _ in range(8):
                images = torch.cat([images, images[:1]])
                if after:
                    torch._dynamo.mark_dynamic(images, 0)
                compiled(images)
        return 0.0

    return Side(story, story=True)


def raised_size(name: str, after: bool) -> Side:
    """Training over sizes that a schedule raises, by surprise or marked as dynamic: ten lengths, or sides of images."""
    train = Trainer(name, fused=True)
    inputs, target = train.inputs, train.target

    def story() -> float:
        for size in range(1, 11):
            for _ in range(3):
                if name == "language":
                    train.inputs = train.target = inputs[:, : 24 * size].contiguous()
                else:
                    side = 16 + 8 * size
                    train.inputs, train.target = inputs[:, :, :side, :side].contiguous(), target
                if after:
                    for dim in (1,) if name == "language" else (2, 3):
                        torch._dynamo.mark_dynamic(train.inputs, dim)
                train()
        return 0.0

    return Side(story, story=True)


def counted_argument(name: str, after: bool) -> Side:
    """Twelve calls with a Python float that changes, past the limit of 8 recompiles, or with a tensor."""
    model = make(name).eval()
    inputs, _ = batch(name, 8)

    def scale_output(inputs: Tensor, scale: float | Tensor) -> Tensor:
        return model(inputs) * scale

    scaled = torch.compile(scale_output)

    def story() -> float:
        with torch.no_grad():
            for number in range(12):
                scale = 1.0 + number / 8
                scaled(inputs, torch.tensor(scale, device=device()) if after else scale)
        return 0.0

    return Side(story, story=True)


def kept_cache(name: str, after: bool) -> Side:
    """The first training step of a process with empty caches, or with those that an earlier process filled."""
    return Side(Trainer(name, fused=True), story=True)


def compiled_loop(name: str, after: bool) -> Side:
    """Ten steps of decoding, or of refining an image, for three batches: the loop compiled, or its step."""
    model = make(name).eval().bfloat16()
    first, _ = batch(name, 4)

    def step(kept: Tensor, place: Tensor) -> Tensor:
        if name == "language":
            word = model(kept).index_select(1, place).argmax(-1)
            return kept.index_copy(1, place + 1, word)
        return kept - 0.01 * model(kept).mean(-1)[:, None, None, None] * kept

    one = torch.compile(step) if after else step

    places = [torch.tensor([15 + number], device=device()) for number in range(10)]

    def loop(kept: Tensor) -> Tensor:
        for place in places:
            kept = one(kept, place)
        return kept

    whole = loop if after else torch.compile(loop)

    def story() -> float:
        with torch.no_grad():
            kept = first[:, :32].contiguous() if name == "language" else first.bfloat16()
            for _ in range(3):
                found = whole(kept)
        return float(found.float().mean())

    return Side(story, story=True)


def whole_model(name: str, after: bool) -> Side:
    """The first training step, where the model is compiled as a whole or block by block."""
    model = make(name)
    inputs, target = batch(name, 8)
    if after:
        for block in model.blocks if name == "language" else model.layers:
            block.compile()
    else:
        model.compile()

    def story() -> float:
        loss = loss_of(model(inputs), target)
        loss.backward()
        return float(loss.detach())

    return Side(story, story=True)


def rate_as_number(name: str, after: bool) -> Side:
    """Twelve compiled optimizer steps with a schedule, the rate a Python float or a tensor."""
    model = make(name)
    inputs, target = batch(name, 8)
    rate = torch.tensor(1e-4, device=device()) if after else 1e-4
    optimizer = torch.optim.AdamW(model.parameters(), lr=rate, capturable=after)
    schedule = torch.optim.lr_scheduler.LinearLR(optimizer, total_iters=12)
    update = torch.compile(optimizer.step)

    def story() -> float:
        for _ in range(12):
            loss_of(model(inputs), target).backward()
            update()
            schedule.step()
            optimizer.zero_grad()
        return 0.0

    return Side(story, story=True)


PAIRS: dict[str, Callable[[str, bool], Side]] = {
    one.__name__: one
    for one in (
        read_each_step,
        read_each_step_graphed,
        read_each_step_large,
        fused_optimizer,
        fused_optimizer_large,
        matmul_precision,
        matmul_precision_large,
        channels_last,
        channels_last_large,
        graphs,
        averaged_weights,
        averaged_weights_large,
        copied_inputs,
        copied_inputs_large,
        broken_blocks,
        broken_blocks_graphed,
        broken_blocks_large,
        uneven_last_batch,
        growing_sequence,
        raised_size,
        counted_argument,
        kept_cache,
        compiled_loop,
        whole_model,
        rate_as_number,
        kept_results,
        state_of_calls,
        compiled_twice,
        graph_for_each_size,
        recorded_sizes,
        first_request,
    )
}


def names(wanted: Iterable[str]) -> list[str]:
    """The pairs wanted, or all. Raises SystemExit for one that does not exist."""
    found = list(wanted) or list(PAIRS)
    for one in found:
        if one not in PAIRS:
            raise SystemExit(f"there is no pair {one}; there are {', '.join(PAIRS)}")
    return found
