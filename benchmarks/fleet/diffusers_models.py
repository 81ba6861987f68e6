"""Models and schedulers of diffusers: the defaults of their constructors cut small, inputs by the signature.

What most of them import is imported with this module, so that the targets of one worker share it.
"""

from __future__ import annotations

import functools
import importlib
import inspect
import re
from collections.abc import Iterator
from typing import Any

import diffusers
import torch

from benchmarks.fleet.diffusers_inputs import forms, inputs_of
from benchmarks.fleet.recipe import Call, NoRecipeError, Reasons, one_line, quiet, refuse_large

for _part in ("loaders", "models.transformers", "models.unets"):
    importlib.import_module(f"diffusers.{_part}")

_LAYERS = re.compile(r"(^|_)(n_|num_)?(\w+_)?layers$|^depth$|^layers_per_block$|_blocks$|_refiner_layers$")
_NOT_LAYERS = re.compile(r"cross_attn|every|places|ids|inject")
_HEADS = re.compile(r"^(num_attention_heads|num_heads|n_heads)$")
_MORE_HEADS = re.compile(r"(key_value|kv)(_attention)?_heads$|_num_attention_heads$|num_cross_attention_heads$")
_PER_HEAD = re.compile(r"^(attention_head_dim|head_dim|linear_head_dim)$")
_FACTOR = re.compile(
    r"^(dim|hidden_size|embed_dim|inner_dim|model_channels|ffn_dim|intermediate_size|ffn_hidden_size)$"
)
_TWO = 2


def names() -> list[str]:
    """Every model class and every scheduler of the library's public names."""
    public = [one for one in sorted(dir(diffusers)) if not one.startswith(("Flax", "Auto", "_"))]
    public += [one for one in sorted(dir(diffusers)) if one.startswith("Autoencoder")]
    return [one for one in public if _is_scheduler(one) or _is_model(one)]


def _is_scheduler(name: str) -> bool:
    return name.endswith("Scheduler")


def _is_model(name: str) -> bool:
    if not ("Model" in name[-9:] or name.startswith("Autoencoder")):
        return False
    found = getattr(diffusers, name)
    return isinstance(found, type) and issubclass(found, torch.nn.Module) and found is not diffusers.ModelMixin


def model(name: str) -> tuple[Any, list[Call]]:
    """A model and two calls of it, or the step of a scheduler at two of its times. Raises NoRecipeError."""
    quiet("diffusers")
    if _is_scheduler(name):
        return _step(name)
    kind = getattr(diffusers, name)
    reasons = Reasons("no cut of its defaults builds")
    for cut in _cuts(kind):
        try:
            torch.manual_seed(0)
            refuse_large(functools.partial(kind, **cut))
            made = kind(**cut).eval()
        except Exception as error:  # noqa: BLE001 - a library's own constructors: the next cut may do
            reasons.add(error)
            continue
        calls, last = _called(made, name)
        if calls:
            return made, calls
        reasons.add(last, built=True)
    raise NoRecipeError(f"{name}: {reasons}")


def _cuts(kind: Any) -> Iterator[dict[str, Any]]:
    """Arguments of the constructor from the smallest to fewer layers alone."""
    defaults = {
        name: one.default for name, one in inspect.signature(kind.__init__).parameters.items() if name != "self"
    }
    layers: dict[str, Any] = {}
    for name, value in defaults.items():
        if not _LAYERS.search(name) or _NOT_LAYERS.search(name):
            continue
        if isinstance(value, int) and not isinstance(value, bool):
            layers[name] = min(value, 1 if name == "layers_per_block" else _TWO)
    yield {**layers, **_narrow(defaults)}
    yield {**layers, **_channels(defaults)}
    yield layers


def _channels(defaults: dict[str, Any]) -> dict[str, Any]:
    """Fewer channels of the blocks of a UNet or an autoencoder, and heads that divide them."""
    found: dict[str, Any] = {}
    for name, value in defaults.items():
        if re.search(r"(block_out_channels|block_channels)$", name) and isinstance(value, (list, tuple)):
            found[name] = type(value)(32 * (1 + place) for place in range(len(value)))
        elif name == "num_attention_heads" and isinstance(value, (list, tuple)):
            found[name] = type(value)(4 for _ in value)
        elif name == "cross_attention_dim" and isinstance(value, int) and "block_out_channels" in defaults:
            found[name] = 32
    return found


def _narrow(defaults: dict[str, Any]) -> dict[str, Any]:
    """Two heads of what each is wide, and everything as wide as all heads together likewise."""
    found = _channels(defaults)
    heads = next((name for name, value in defaults.items() if _HEADS.search(name) and isinstance(value, int)), None)
    if heads is None or defaults[heads] <= _TWO or "block_out_channels" in defaults:
        return found
    count = defaults[heads]
    wide = {count * value for name, value in defaults.items() if _PER_HEAD.search(name) and isinstance(value, int)}
    for name, value in defaults.items():
        if isinstance(value, bool) or not isinstance(value, int):
            continue
        if name == heads or _MORE_HEADS.search(name):
            found[name] = min(value, _TWO)
        elif (value in wide or _FACTOR.search(name)) and value % count == 0:
            found[name] = value // count * _TWO
        elif _FACTOR.search(name):
            found[name] = max(value // count, 1) * _TWO
    return found


def _called(made: Any, name: str) -> tuple[list[Call], str]:
    """Two calls that eager runs; without them, what the first form raised."""
    said = ""
    for form in forms(name, inspect.signature(made.forward).parameters):
        try:
            given = [inputs_of(made, form, batch) for batch in (2, 3)]
            with torch.no_grad():
                made(**given[0])
                made(**given[1])
            return [((), one) for one in given], ""
        except KeyError as error:
            if not said:
                said = f"no inputs are known for {error.args[0]}"
        except Exception as error:  # noqa: BLE001 - of the library's code: the next form may do
            said = said or one_line(error)
    return [], said


def _step(name: str) -> tuple[Any, list[Call]]:
    scheduler = getattr(diffusers, name)()
    scheduler.set_timesteps(10)
    times = scheduler.timesteps
    sample = torch.randn(2, 3, 8, 8, generator=torch.Generator().manual_seed(0))

    @functools.wraps(scheduler.step)  # its place is the scheduler's
    def step(output: torch.Tensor, time: Any, noisy: torch.Tensor) -> Any:
        return scheduler.step(output, time, noisy, return_dict=False)[0]

    return step, [((sample, times[0], sample), {}), ((sample, times[1], sample), {})]
