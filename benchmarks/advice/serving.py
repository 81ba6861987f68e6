"""Pairs of models that only answer: what CUDA graphs ask of the code around them, and the first request. Needs torch.

Each is inference in bfloat16. Of a story here, what its process compiled before the first clock is not counted.
"""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor, nn

from benchmarks.advice.models import batch, make
from benchmarks.advice.sides import Side, Trainer

_GRAPHS = "reduce-overhead"


def kept_results(name: str, after: bool) -> Side:
    """Results of four calls are kept: without CUDA graphs, where that works, or with them and `clone()` outside."""
    compiled = torch.compile(_served(name), mode=_GRAPHS if after else None)
    batches = [_images_or_words(name, 1, seed) for seed in range(1, 5)]

    def step() -> Tensor:
        kept = []
        with torch.no_grad():
            for one in batches:
                result = compiled(one)
                kept.append(result.clone() if after else result)
        return torch.stack(kept).float().mean()

    return Side(step)


class Averaged(nn.Module):
    """A model that keeps a running average of what it gave: an attribute set in each call, or a buffer written."""

    average: Tensor

    def __init__(self, model: nn.Module, like: Tensor, written: bool) -> None:
        super().__init__()
        self.model, self.written = model, written
        self.register_buffer("average", torch.zeros_like(like))

    def forward(self, x: Tensor) -> Tensor:
        mixed = torch.lerp(self.average, self.model(x), 0.1)
        if self.written:
            self.average.copy_(mixed)
        else:
            self.average = mixed
        return mixed.float().mean()


def state_of_calls(name: str, after: bool) -> Side:
    """State from call to call: an attribute set in each call, without CUDA graphs, or a buffer written, with them."""
    model, x = _served(name), _images_or_words(name, 1)
    with torch.no_grad():
        whole = Averaged(model, model(x), written=after)
    compiled = torch.compile(whole, mode=_GRAPHS if after else None)

    def step() -> Tensor:
        with torch.no_grad():
            return compiled(x)

    return Side(step)


def compiled_twice(name: str, after: bool) -> Side:
    """A batch of one, trained: `torch.compile` of what `mode="reduce-overhead"` compiled, or that alone."""
    train = Trainer(name, 1, _GRAPHS)
    if not after:
        train.compiled = torch.compile(train.compiled)
    return Side(train)


def _all_sizes(name: str, after: bool) -> Callable[[], Tensor]:
    """A pass over 24 sizes: each as it is, with `dynamic=True`, or padded to one. Lengths, or sizes of batches."""
    model = _served(name)
    compiled = torch.compile(model, mode=_GRAPHS, dynamic=None if after else True)
    dim, unit = (1, 10) if name == "language" else (0, 1)
    # Copies: Dynamo guards the strides of a view, and the size of what it is a view of
    longest = _images_or_words(name, 1 if dim else 25)[:, : 25 * unit].clone(memory_format=torch.contiguous_format)
    sizes = [unit * number for number in range(2, 26)]
    inputs = [longest.narrow(dim, 0, size).clone(memory_format=torch.contiguous_format) for size in sizes]

    def answer(x: Tensor) -> Tensor:
        size, most = x.shape[dim], longest.shape[dim]
        if not after:
            return compiled(x)
        rest = (0, most - size) if dim else (0, 0) * (x.dim() - 1) + (0, most - size)
        return compiled(nn.functional.pad(x, rest)).narrow(dim, 0, size)

    def all_sizes() -> Tensor:
        with torch.no_grad():
            return torch.stack([answer(x).float().mean() for x in inputs]).mean()

    with torch.no_grad():
        answer(longest)
    return all_sizes


def graph_for_each_size(name: str, after: bool) -> Side:
    """Three passes over 24 sizes from a warm server: a CUDA graph is recorded for each, or all are padded to one."""
    all_sizes = _all_sizes(name, after)
    return Side(lambda: [float(all_sizes()) for _ in range(3)][-1], story=True)


def recorded_sizes(name: str, after: bool) -> Side:
    """A pass over 24 sizes when all graphs are recorded: what padding costs then."""
    return Side(_all_sizes(name, after))


def first_request(name: str, after: bool) -> Side:
    """The first request to a server: it compiles, or a warm-up before the server was ready has."""
    compiled, x = torch.compile(_served(name)), _images_or_words(name, 1)

    def request() -> float:
        with torch.no_grad():
            return float(compiled(x).float().mean())

    if after:
        request()
    return Side(request, story=True)


def _served(name: str) -> nn.Module:
    return make(name).eval().bfloat16()


def _images_or_words(name: str, size: int, seed: int = 1) -> Tensor:
    inputs, _ = batch(name, size, seed)
    return inputs if name == "language" else inputs.bfloat16()
