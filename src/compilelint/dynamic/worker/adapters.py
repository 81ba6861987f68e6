"""Small models of libraries whose classes are described by a configuration: transformers, diffusers, timm.

Weights are random and nothing is downloaded. A library is looked at only where the user's class already brought it in.
Sizes are cut by the meaning of a name (widths, layers, heads), and a configuration that no longer builds is used as it
comes.
"""

from __future__ import annotations

import inspect
import re
import sys
from typing import Any

import torch

VOCABULARY = 160

_LAYERS = re.compile(r"(^|_)(num_hidden_layers|n_layers?|num_layers|layers|depth|num_blocks)$|_layers$")
_NOT_LAYERS = re.compile(r"skip|feature|moe|from|index|capture|out")
_WIDTHS = re.compile(r"(hidden_size|d_model|dim|embed_dim|intermediate_size|ffn_dim|d_ff|n_embd|_dim|_size)$")
_NOT_WIDTHS = re.compile(r"vocab|image|patch|window|kernel|max_|num_|sliding|chunk|block|codebook|pool|sample|crop|mel|"
                         r"in_channels|stride|type_|token|head_dim|d_kv|projection")  # fmt: skip
_IMAGE = 64
_SHRINK = 8
_MOST_LAYERS = 2


def tiny(kind: Any) -> tuple[Any, str] | None:
    """A small instance of a class that a known library makes from configurations, and how it was made, in words."""
    transformers = sys.modules.get("transformers")
    base = getattr(transformers, "PreTrainedModel", None)
    if isinstance(base, type) and issubclass(kind, base) and kind.config_class is not None:
        return _from_config(kind)
    diffusers = sys.modules.get("diffusers")
    base = getattr(diffusers, "ModelMixin", None)
    if isinstance(base, type) and issubclass(kind, base):
        return _from_defaults(kind)
    return None


def example(model: Any) -> dict[str, Any] | None:
    """Inputs that the library of a model is known to take; None for other models."""
    name = getattr(model, "main_input_name", None)
    config = getattr(model, "config", None)
    if isinstance(name, str) and config is not None and "transformers" in sys.modules:
        return _named_input(name, config)
    settings = getattr(model, "pretrained_cfg", None) or getattr(model, "default_cfg", None)
    if isinstance(settings, dict) and settings.get("input_size"):
        return {"": torch.randn(2, *settings["input_size"])}
    if config is not None and "diffusers" in sys.modules and hasattr(config, "get"):
        return _sample_input(model, config)
    return None


# -------------------------------------------------------------- transformers


def _from_config(kind: Any) -> tuple[Any, str]:
    """Build from the class's configuration, cut small; from its own defaults where the small one does not build."""
    small = kind.config_class(**_shrunk(kind.config_class()))
    try:
        return kind(small), f"{kind.config_class.__name__}, cut small"
    except (ValueError, RuntimeError, AssertionError, TypeError, ZeroDivisionError, IndexError):
        return kind(kind.config_class()), f"{kind.config_class.__name__} with its defaults"


def _shrunk(config: Any) -> dict[str, Any]:
    """What is smaller than in `config`; configurations inside of it are cut alike."""
    changed: dict[str, Any] = {}
    for name, value in vars(config).items():
        if hasattr(value, "to_dict") and not name.startswith("_"):
            changed[name] = {**value.to_dict(), **_shrunk(value)}
        elif isinstance(value, int) and not isinstance(value, bool) and not name.startswith("_"):
            smaller = _smaller(name, value)
            if smaller != value:
                changed[name] = smaller
    for name in [one for one in vars(config) if one.endswith("_token_id")]:
        value = getattr(config, name)
        if isinstance(value, int) and value >= VOCABULARY:
            changed[name] = VOCABULARY - 1
    return changed


def _smaller(name: str, value: int) -> int:
    if name == "vocab_size" or name.endswith("_vocab_size"):
        return min(value, VOCABULARY)
    if name == "image_size":
        return min(value, _IMAGE)
    if _LAYERS.search(name) and not _NOT_LAYERS.search(name):
        return min(value, _MOST_LAYERS)
    if _WIDTHS.search(name) and not _NOT_WIDTHS.search(name) and value >= 128 and value % _SHRINK == 0:
        return value // _SHRINK
    return value


def _named_input(name: str, config: Any) -> dict[str, Any] | None:
    if name == "input_ids":
        text = config.get_text_config() if hasattr(config, "get_text_config") else config
        high = max(min(getattr(text, "vocab_size", VOCABULARY), VOCABULARY) - 8, 4)
        return {name: torch.randint(3, high, (2, 8))}
    if name == "pixel_values":
        size = getattr(config, "image_size", _IMAGE)
        height, width = size if isinstance(size, (list, tuple)) else (size, size)
        return {name: torch.randn(2, getattr(config, "num_channels", 3), height, width)}
    if name == "input_values":
        return {name: torch.randn(2, 4000)}
    if name == "input_features":
        return {name: torch.randn(2, getattr(config, "num_mel_bins", 80), 64)}
    return None


# ----------------------------------------------------------------- diffusers


def _from_defaults(kind: Any) -> tuple[Any, str]:
    """Build with the signature's defaults, layers and widths cut; with the defaults where that does not build."""
    small: dict[str, Any] = {}
    for name, one in inspect.signature(kind.__init__).parameters.items():
        value = one.default
        if isinstance(value, int) and not isinstance(value, bool) and _LAYERS.search(name):
            small[name] = min(value, _MOST_LAYERS)
        elif name == "block_out_channels" and isinstance(value, tuple):
            small[name] = tuple(32 * (1 + place) for place in range(len(value)))
        elif name == "cross_attention_dim" and isinstance(value, int):
            small[name] = 32
    try:
        return kind(**small), "its defaults, cut small"
    except (ValueError, RuntimeError, AssertionError, TypeError, ZeroDivisionError, IndexError):
        return kind(), "its defaults"


def _sample_input(model: Any, config: Any) -> dict[str, Any] | None:
    """A noisy sample and a time step, as UNets and transformers of diffusers take them."""
    parameters = inspect.signature(model.forward).parameters
    channels = config.get("in_channels")
    if "sample" not in parameters or not isinstance(channels, int):
        return None
    made: dict[str, Any] = {"sample": torch.randn(2, channels, 32, 32)}
    if "timestep" in parameters:
        made["timestep"] = torch.full((2,), 3, dtype=torch.long)
    width = config.get("cross_attention_dim")
    if "encoder_hidden_states" in parameters and isinstance(width, int):
        made["encoder_hidden_states"] = torch.randn(2, 7, width)
    return made
