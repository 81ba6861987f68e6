"""Models and schedulers of diffusers: the defaults of their constructors cut small, inputs by the signature."""

from __future__ import annotations

import functools
import inspect
from typing import Any

import diffusers
import torch

from benchmarks.fleet.recipe import Call, NoRecipeError, one_line, quiet
from compilelint.dynamic.worker.adapters import example, tiny


def names() -> list[str]:
    """Every model class and every scheduler of the library's public names."""
    public = [one for one in sorted(dir(diffusers)) if not one.startswith(("Flax", "Auto", "_"))]
    return [one for one in public if "Model" in one[-9:] or one.startswith("Autoencoder") or _is_scheduler(one)]


def _is_scheduler(name: str) -> bool:
    return name.endswith("Scheduler")


def model(name: str) -> tuple[Any, list[Call]]:
    """A model and a call of it, or the step of a scheduler at two of its times. Raises NoRecipeError."""
    quiet("diffusers")
    if _is_scheduler(name):
        return _step(name)
    torch.manual_seed(0)
    try:
        made = tiny(getattr(diffusers, name))
    except Exception as error:
        raise NoRecipeError(f"{name}: {one_line(error)}") from error
    if made is None:
        raise NoRecipeError(f"{name} is no model of diffusers")
    built = made[0].eval()
    inputs = example(built)
    if inputs is None:
        raise NoRecipeError(f"{name}: no inputs are known for {', '.join(inspect.signature(built.forward).parameters)}")
    return built, [((), inputs)]


def _step(name: str) -> tuple[Any, list[Call]]:
    scheduler = getattr(diffusers, name)()
    scheduler.set_timesteps(10)
    times = scheduler.timesteps
    sample = torch.randn(2, 3, 8, 8, generator=torch.Generator().manual_seed(0))

    @functools.wraps(scheduler.step)  # its place is the scheduler's
    def step(output: torch.Tensor, time: Any, noisy: torch.Tensor) -> Any:
        return scheduler.step(output, time, noisy, return_dict=False)[0]

    return step, [((sample, times[0], sample), {}), ((sample, times[1], sample), {})]
