"""Something for the arguments that a call leaves out and that stand for objects: generators, masks, functions.

Does not belong here: numbers in their place (`variations`).
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import torch

from compilelint.dynamic.worker.inputs import Call
from compilelint.dynamic.worker.variations import parameters_of

_MOST = 6  # parameters that are given


def scaled(value: Any, by: float = 1.1) -> Any:
    """What a layer gives, otherwise: its tensors of a float type scaled, inside containers too."""
    if isinstance(value, torch.Tensor):
        return value * by if value.is_floating_point() else value
    if type(value) in (list, tuple):
        return type(value)(scaled(one, by) for one in value)
    return {key: scaled(one, by) for key, one in value.items()} if type(value) is dict else value


def objects_for(called: Any, call: Call, tensors: list[torch.Tensor]) -> Iterator[tuple[str, Callable[[], Any]]]:
    """Something for each parameter that is None by default and left out, by its name and annotation."""
    known = parameters_of(called)
    given = {*list(known)[: len(call[0])], *call[1]}
    count = 0
    for name, one in known.items():
        named = one.kind in (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
        if name in given or one.default is not None or not named or count == _MOST:
            continue
        words = f"{name} {one.annotation if one.annotation is not one.empty else ''}"
        for word, make in _made(tensors).items():
            if word in words.lower():
                count += 1
                yield name, make
                break


def _made(tensors: list[torch.Tensor]) -> Mapping[str, Callable[[], Any]]:
    """By a word of its name or annotation, what an optional argument can be."""
    found: dict[str, Callable[[], Any]] = {
        "generator": lambda: torch.Generator().manual_seed(7),
        "dtype": lambda: torch.float64,
        "device": lambda: torch.device("cpu"),
        "callable": lambda: scaled,
        "callback": lambda: scaled,
        "bool": lambda: True,
    }
    first = next((one for one in tensors if one.dim()), None)
    if first is not None:
        found["mask"] = lambda: torch.rand(first.shape[:2]) < 0.5
        found["tensor"] = lambda: torch.rand(first.shape)
    return found
