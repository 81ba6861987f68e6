"""Inputs for a model of several inputs, or one that takes none of the usual: tried, and fitted by what torch raises.

Each argument begins with sizes of its own (primes), so that the words of an error (`mat1 and mat2 shapes cannot be
multiplied (16x13 and 4x512)`) say which argument has which size wrong. Bounded in trials and in seconds.
"""

from __future__ import annotations

import contextlib
import copy
import itertools
import re
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch

_MOST_TRIALS = 120
_MOST_STEPS = 14
_SECONDS = 20.0
_BATCH = 2
_LENGTH = 8
_PRIMES = (11, 13, 17, 19, 23, 29, 31, 37)
_RANKS = {"sequence": 3, "features": 2, "image": 4, "volume": 5, "ids": 2, "scalar": 1, "square": 2}

_IDS = re.compile(r"(^|_)(ids?|idx|tokens?|src|tgt|trg|target|words?|seqs?|labels?|items?|users?)(_|\d|s?$)|_seq$")
_MASK = re.compile(r"mask|valid|padding")
_TIME = re.compile(r"^(t|ts|time|times|timesteps?|steps?|sigmas?|noise_level)$")
_LENGTHS = re.compile(r"len(gth)?s?$")
_GRAPH = re.compile(r"^(adj|a|laplacian|edge_weight_matrix)(_|$)|adjacency")

# What torch says of a size that is wrong: (wrong, right) as groups of the match, or both ways.
_SAYS = [
    re.compile(r"shapes cannot be multiplied \(\d+x(?P<wrong>\d+) and (?P<right>\d+)x\d+\)"),
    re.compile(r"to have (?P<right>\d+) channels, but got (?P<wrong>\d+) channels"),
    re.compile(r"expected (?P<right>\d+), got (?P<wrong>\d+)", re.IGNORECASE),
    re.compile(
        r"expected input with shape \[\*, (?P<right>\d+)\], but got input of size\s*\[(?:\d+, )*(?P<wrong>\d+)\]"
    ),
    re.compile(r"expected size (?P<right>\d+) but got size (?P<wrong>\d+)", re.IGNORECASE),
    re.compile(r"running_mean should contain (?P<wrong>\d+) elements not (?P<right>\d+)"),
    re.compile(r"tensor a \((?P<wrong>\d+)\) must match the size of tensor b \((?P<right>\d+)\)"),
]
_ARRAYS = re.compile(r"ndarray|ufunc|numpy", re.IGNORECASE)
_NOT_WHOLE = re.compile(
    r"scalar types: Long, Int|indices must be (long|int)|index tensors|must be .*(Long|integer)", re.IGNORECASE
)


@dataclass(frozen=True)
class _Argument:
    """A tensor to try: its sizes, and what fills it."""

    name: str
    shape: tuple[int, ...]
    kind: str = "floats"

    def made(self, high: int) -> Any:
        """A tensor of this kind, or an array of numpy's."""
        if self.kind == "array":
            return torch.randint(0, max(high, 1), self.shape).numpy()
        if self.kind == "ids":
            return torch.randint(0, max(high, 1), self.shape)
        if self.kind == "mask":
            return torch.ones(self.shape, dtype=torch.bool)
        if self.kind == "ones":
            return torch.ones(self.shape)
        if self.kind == "lengths":
            return torch.full(self.shape, _LENGTH)
        if self.kind == "graph":
            return torch.softmax(torch.randn(self.shape), -1)
        return torch.randn(self.shape)


def fitted(function: torch.nn.Module, names: Sequence[str], high: int) -> tuple[Any, ...] | None:
    """Values for the parameters that the model has been seen to take; None where no trial ended well."""
    trials = iter(range(_MOST_TRIALS))
    end = time.monotonic() + _SECONDS
    for start in _starts(function, names):
        arguments: list[_Argument] | None = start
        for _ in range(_MOST_STEPS):
            if arguments is None:
                break
            if next(trials, None) is None or time.monotonic() > end:
                return None
            made = tuple(one.made(high) for one in arguments)
            said = _raised(function, made)
            if said is None:
                return made
            arguments = _changed(arguments, said)
    return None


def _starts(function: torch.nn.Module, names: Sequence[str]) -> Iterator[list[_Argument]]:
    """Ranks and kinds to begin with: what names say, and for the rest what the layers are for."""
    known = {name: _by_name(name) for name in names}
    free = [name for name in names if known[name] is None]
    embeds = any(isinstance(one, torch.nn.Embedding) for one in function.modules())
    usual = _usual(function)
    for choice in itertools.chain(
        ([one] * len(free) for one in usual), itertools.product(usual, repeat=len(free)) if len(free) <= 3 else ()
    ):
        kinds = dict(zip(free, choice, strict=True))
        yield [
            _argument(name, known[name] or kinds[name], _PRIMES[at % len(_PRIMES)], embeds)
            for at, name in enumerate(names)
        ]


def _by_name(name: str) -> str | None:
    lower = name.lower()
    patterns = {"lengths": _LENGTHS, "mask": _MASK, "time": _TIME, "square": _GRAPH, "ids": _IDS}
    return next((kind for kind, pattern in patterns.items() if pattern.search(lower)), None)


def _usual(function: torch.nn.Module) -> list[str]:
    """Kinds of inputs for parameters whose names say nothing, by the first layer with one."""
    for layer in function.modules():
        if isinstance(layer, (torch.nn.Conv3d, torch.nn.ConvTranspose3d)):
            return ["volume", "image"]
        if isinstance(layer, (torch.nn.Conv2d, torch.nn.ConvTranspose2d)):
            return ["image", "sequence", "features"]
        if isinstance(layer, torch.nn.Embedding):
            return ["ids", "sequence", "features"]
        if isinstance(layer, (torch.nn.Conv1d, torch.nn.Linear, torch.nn.LSTM, torch.nn.GRU)):
            return ["sequence", "features", "nodes", "ids", "image"]
    return ["sequence", "features", "nodes", "image", "ids"]


def _argument(name: str, kind: str, prime: int, embeds: bool) -> _Argument:
    if kind == "ids":
        return _Argument(name, (_BATCH, _LENGTH), "ids" if embeds or "id" in name else "floats")
    shapes: dict[str, tuple[tuple[int, ...], str]] = {
        "lengths": ((_BATCH,), "lengths"),
        "mask": ((_BATCH, _LENGTH), "mask"),
        "time": ((_BATCH,), "floats"),
        "square": ((_LENGTH, _LENGTH), "graph"),
        "nodes": ((_LENGTH, prime), "floats"),
        "features": ((_BATCH, prime), "floats"),
        "sequence": ((_BATCH, _LENGTH, prime), "floats"),
        "image": ((_BATCH, prime, 32, 32), "floats"),
        "volume": ((_BATCH, prime, 16, 16, 16), "floats"),
    }
    shape, filled = shapes[kind]
    return _Argument(name, shape, filled)


def _raised(function: torch.nn.Module, made: Sequence[Any]) -> str | None:
    """What a copy of the model raises when it is called so; None where it ends well."""
    try:
        with torch.no_grad():
            copy.deepcopy(function).eval()(*copy.deepcopy(made))
    except Exception as error:  # noqa: BLE001 - whatever code of the user raises, it is read
        return f"{type(error).__name__}: {error}"
    return None


def _changed(arguments: list[_Argument], said: str) -> list[_Argument] | None:
    """The arguments with what an error calls wrong put right; None where it says nothing that could be put right."""
    if _ARRAYS.search(said) and any(one.kind == "ids" for one in arguments):
        return [replace(one, kind="array") if one.kind == "ids" else one for one in arguments]
    if _NOT_WHOLE.search(said):
        for at, one in enumerate(arguments):
            if one.kind == "floats":
                whole = replace(one, kind="ids", shape=one.shape if len(one.shape) <= 2 else one.shape[:-1])
                return [*arguments[:at], whole, *arguments[at + 1 :]]
        return None
    if "Bool" in said and any(one.kind == "mask" for one in arguments):
        return [replace(one, kind="ones") if one.kind == "mask" else one for one in arguments]
    for pattern in _SAYS:
        match = pattern.search(said)
        if match is None:
            continue
        wrong, right = int(match["wrong"]), int(match["right"])
        for old, new in ((wrong, right), (right, wrong)):
            with contextlib.suppress(ValueError):
                return _resized(arguments, old, new)
    return None


def _resized(arguments: list[_Argument], old: int, new: int) -> list[_Argument]:
    """The arguments with one size in place of another. Raises ValueError where none has it."""
    if old == new or new < 1 or not any(old in one.shape for one in arguments):
        raise ValueError(old)
    return [replace(one, shape=tuple(new if size == old else size for size in one.shape)) for one in arguments]
