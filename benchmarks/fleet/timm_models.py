"""Architectures of timm: one of each family of each module of its registry, random weights, small images.

Where torchvision is not installed, names stand in its place while timm is imported: no architecture computes with them.
"""

from __future__ import annotations

import importlib.util
import re
import sys
import types
from typing import Any

import torch

from benchmarks.fleet.recipe import MOST_PARAMETERS, Call, NoRecipeError, one_line, quiet

_SIDES = (64, 96, 128)
_SMALL = (
    "atto",
    "femto",
    "pico",
    "nano",
    "xxs",
    "xxsmall",
    "tiny",
    "xs",
    "xtiny",
    "mini",
    "micro",
    "s",
    "small",
    "cifar",
)
_PARTS = ("transforms", "transforms.functional", "datasets", "datasets.folder", "ops", "ops.misc", "utils")


class _Names(types.ModuleType):
    """A module in which every name is a class that does nothing."""

    __version__ = "0"

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.__path__: list[str] = []

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return _Named(name, (), {"__init__": lambda self, *args, **named: None})


class _Named(type):
    def __getattr__(cls, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return name


def _timm() -> Any:
    if importlib.util.find_spec("torchvision") is not None:
        import timm

        return timm
    stand_ins = {"torchvision": _Names("torchvision")}
    for part in _PARTS:
        outer, _, name = f"torchvision.{part}".rpartition(".")
        stand_ins[f"{outer}.{name}"] = made = _Names(f"{outer}.{name}")
        setattr(stand_ins[outer], name, made)
    sys.modules.update(stand_ins)
    try:
        import timm
    finally:
        for name in stand_ins:
            sys.modules.pop(name, None)
    return timm


timm = _timm()


def names() -> list[str]:
    """One architecture of each family of each module: the one whose name says that it is the smallest.

    A family is what names begin with before any number: `resnet`, `seresnext`, `regnety`. Each of those that timm has
    for its own tests is one.
    """
    families: dict[tuple[str, str], list[str]] = {}
    for name in sorted(timm.list_models()):
        family = name if name.startswith("test_") else re.split(r"[\d_]", name)[0]
        families.setdefault((timm.models.model_entrypoint(name).__module__, family), []).append(name)
    return sorted(min(found, key=_size) for found in families.values())


def _size(name: str) -> tuple[int, int, str]:
    """How large a name says that it is, of what is known to be small; then the smaller number in it."""
    words = [place for place, word in enumerate(_SMALL) if re.search(rf"(^|_|\d){word}(_|\d|$)", name)]
    numbers = [int(one) for one in re.findall(r"\d+", name)]
    return min(words, default=len(_SMALL)), min(numbers, default=999), name


def model(name: str) -> tuple[Any, list[Call]]:
    """An architecture and two calls, of two images and of three. Raises NoRecipeError."""
    quiet("timm")
    torch.manual_seed(0)
    try:
        with torch.device("meta"):
            size = sum(one.numel() for one in timm.create_model(name).parameters())
        if size > MOST_PARAMETERS:
            raise NoRecipeError(f"{name}: {size / 1e6:.0f} million parameters")
        made, sides = _small_images(name)
    except NoRecipeError:
        raise
    except Exception as error:
        raise NoRecipeError(f"{name}: {one_line(error)}") from error
    return made, [((torch.randn(batch, *sides),), {}) for batch in (2, 3)]


def _small_images(name: str) -> tuple[Any, tuple[int, ...]]:
    """The architecture for the smallest images that eager takes, up to the size that it is made for."""
    made = timm.create_model(name).eval()
    channels, *sides = made.default_cfg.get("input_size", (3, 224, 224))
    for side in () if made.default_cfg.get("fixed_input_size") else _SIDES:
        try:
            with torch.no_grad():
                made(torch.randn(2, channels, side, side))
            return made, (channels, side, side)
        except Exception:  # noqa: BLE001 - of the architecture: it is asked with larger images
            continue
    return made, (channels, *sides)
