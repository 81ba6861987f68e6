"""Builds a recorded model again from its recipe in `recipes.jsonl.gz`: configuration, random weights, example inputs.

A recipe is plain data: {"case", "mode", "class", "config" or "arguments" or "method", "calls"}. `config` holds what
differs from the defaults of the configuration class, `arguments` those of a diffusers model, `method` the method of a
diffusers scheduler. Tensors among the inputs are described by shape, dtype, and `values`, or `fill`, or `below` (whole
numbers in [0, below)), or nothing (normal). Only transformers, diffusers and torch are needed.
"""

from __future__ import annotations

import functools
import gzip
import json
from pathlib import Path
from typing import Any

import torch

RECIPES = Path(__file__).with_name("recipes.jsonl.gz")
_STEPS = 10

Call = tuple[tuple[Any, ...], dict[str, Any]]


def recipes() -> dict[str, dict[str, Any]]:
    """All recipes by case."""
    with gzip.open(RECIPES, "rt", encoding="utf-8") as lines:
        return {one["case"]: one for one in map(json.loads, lines)}


def model(case: str) -> tuple[Any, list[Call]]:
    """What to compile, and the arguments of its calls: a factory as `compilelint verify` takes it."""
    return built(recipes()[case])


def built(recipe: dict[str, Any]) -> tuple[Any, list[Call]]:
    """The same from the recipe itself."""
    torch.manual_seed(0)
    made = _transformers(recipe) if "config" in recipe else _diffusers(recipe)
    calls = [(tuple(map(thawed, one["args"])), thawed({"dict": one["named"]})) for one in recipe["calls"]]
    return made, calls


def _transformers(recipe: dict[str, Any]) -> Any:
    import transformers

    kind, given = getattr(transformers, recipe["class"]), thawed({"dict": recipe["config"]})
    config = getattr(transformers, recipe["config_class"])(**given)
    for name, value in given.items():
        if not hasattr(value, "items") and getattr(config, name, None) != value:
            setattr(config, name, value)  # constructors that overlook an argument
    return kind(config)


def _diffusers(recipe: dict[str, Any]) -> Any:
    import diffusers

    kind = getattr(diffusers, recipe["class"])
    if "method" not in recipe:
        return kind(**thawed({"dict": recipe["arguments"]}))
    scheduler = kind()
    scheduler.set_timesteps(_STEPS)
    if recipe["method"] == "step":
        step = scheduler.step

        @functools.wraps(step)  # so that what `step` takes beside the recorded arguments is known, and can be varied
        def stepped(*args: Any, **named: Any) -> Any:
            return step(*args, **{"return_dict": False, **named})[0]

        return stepped
    method = getattr(scheduler, recipe["method"])

    def called(*args: Any) -> Any:
        return method(*args)

    return called  # a frame outside the library, where Dynamo began when it was recorded


def thawed(value: Any) -> Any:
    """A value from its JSON."""
    if isinstance(value, list):
        return [thawed(one) for one in value]
    if not isinstance(value, dict):
        return value
    if "dict" in value:
        return {name: thawed(one) for name, one in value["dict"].items()}
    if "tuple" in value:
        return tuple(thawed(one) for one in value["tuple"])
    return _tensor(value["tensor"], getattr(torch, value["dtype"]), value)


def _tensor(shape: list[int], dtype: torch.dtype, given: dict[str, Any]) -> torch.Tensor:
    if "values" in given:
        return torch.tensor(given["values"], dtype=dtype).reshape(shape)
    if "fill" in given:
        return torch.full(shape, given["fill"], dtype=dtype)
    generator = torch.Generator().manual_seed(0)
    if "below" in given:
        return torch.randint(0, given["below"], shape, generator=generator).to(dtype)
    return torch.randn(shape, generator=generator).to(dtype)
