"""Configurations of transformers cut small by the meaning of their names, so that a model of any type builds at once.

Which cut a model stands is not known beforehand: `cuts` goes from the smallest to the configuration as it comes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

VOCABULARY = 160

_LAYERS = re.compile(r"(^|_)(n_layers?|layers|depth|num_blocks|n_blocks)$")
_NOT_LAYERS = re.compile(r"skip|use|feature|from|index|capture|deepstack|conv_layers|no_rope|kv_shared|cross_attention")
_WIDTHS = re.compile(
    r"(^|_)(hidden_size|hidden_sizes|d_model|dims?|embed_dims?|intermediate_size|d_ff|d_inner|d_kv|d_head|n_embd|n_inner|"
    r"embedding_size|hidden|width|projection_size|state_size|neck_hidden_sizes|hidden_channels|embedding_channels)$"
)
_NOT_WIDTHS = re.compile(
    r"vocab|image|patch|window|kernel|max_|num_|chunk|pool|sample|mel|in_channels|stride|label|conv_"
)
_HEADS = re.compile(r"(^|_)((num_)?(attention_|key_value_)?heads|n_head|n_heads)$")
_PER_HEAD = re.compile(r"(head_dim|d_kv|d_head|head_size|rope_dim)$")
_TOKEN = re.compile(r"(_token_id|_token_index|_token_ids|_token|_start_id)$")
_DEPTHS = re.compile(r"(^|_)(depths|layer_depths|num_blocks|layers)$")
_NEEDED = {"vocab_size": VOCABULARY, "prediction_length": 8, "num_experts_per_tok": 2}
"""Settings that a model cannot do without, where a configuration leaves them to its user."""
_NO_TRAIT = {"id2label", "label2id", "architectures", "model_type", "transformers_version", "dtype", "torch_dtype"}


@dataclass(frozen=True)
class Cut:
    """How much is cut: widths (and `heads`, instead of what each is wide) by a factor, layers and image to a size.

    A factor of 1 leaves widths alone; `layers` or `image` of 0 leaves those.
    """

    factor: int = 8
    layers: int = 2
    image: int = 64
    heads: bool = False


def cuts() -> Iterator[Cut]:
    """From the smallest to none at all."""
    yield from (Cut(8), Cut(8, heads=True), Cut(8, image=0), Cut(4, image=128), Cut(4, heads=True, image=0))
    yield from (Cut(1), Cut(1, image=0), Cut(1, layers=0, image=0))


@dataclass
class Tokens:
    """Special tokens beyond the vocabulary, each given a number of its own within it."""

    known: dict[int, int] = field(default_factory=dict)

    def within(self, value: int) -> int:
        if value < VOCABULARY - 24:
            return value
        return self.known.setdefault(value, VOCABULARY - 1 - len(self.known))


def small(config: Any, cut: Cut, tokens: Tokens | None = None) -> Any:
    """A configuration of the same class, cut; those inside of it alike, with the same special tokens."""
    tokens = tokens or Tokens()
    traits = {name: value for name, value in vars(config).items() if not name.startswith("_") and name not in _NO_TRAIT}
    changed: dict[str, Any] = {}
    for name, value in traits.items():
        if hasattr(value, "to_dict") and hasattr(value, "model_type"):
            changed[name] = small(value, cut, tokens)
        elif isinstance(value, bool):
            changed |= {name: False} if name == "use_timm_backbone" and value else {}
        elif isinstance(value, int):
            changed[name] = _number(name, value, cut, tokens, traits)
        elif isinstance(value, (list, tuple)) and value:
            changed[name] = _numbers(name, _by_layer(name, value, cut, traits), cut, tokens, traits)
        elif value is None and name in _NEEDED:
            changed[name] = _NEEDED[name]
        elif isinstance(value, dict) and "mrope_section" in value and cut.factor > 1 and not cut.heads:
            changed[name] = {**value, "mrope_section": [one // cut.factor or 1 for one in value["mrope_section"]]}
    changed = {name: value for name, value in changed.items() if not _is_same(value, traits[name])}
    if not changed:
        return config
    try:
        made = type(config)(**changed)
    except (TypeError, ValueError, AttributeError, KeyError):  # where configurations inside must be tables
        tables = {name: one.to_dict() if hasattr(one, "to_dict") else one for name, one in changed.items()}
        made = type(config)(**tables)
    for name, value in changed.items():  # constructors that overlook an argument
        if isinstance(value, int) and vars(made).get(name, value) != value:
            setattr(made, name, value)
    return made


def _is_same(value: Any, before: Any) -> bool:
    """Configurations are not compared: one that differs by layer refuses to be."""
    return value is before or (not hasattr(value, "to_dict") and bool(value == before))


def _number(name: str, value: int, cut: Cut, tokens: Tokens, traits: dict[str, Any]) -> int:
    if re.search(r"(^|_)vocab(_size(_per_layer_input)?)?$", name):
        return min(value, VOCABULARY)
    if _TOKEN.search(name):
        return tokens.within(value)
    if _LAYERS.search(name) and not _NOT_LAYERS.search(name):
        return min(value, _layers(cut, traits)) if cut.layers else value
    if re.search(r"experts$", name) and "shared" not in name:
        return min(value, 16)
    if name in ("num_experts_per_tok", "top_k", "moe_topk", "moe_k", "n_group", "topk_group"):
        return min(value, 2 if name != "topk_group" else 1)
    if name == "image_size" and cut.image and not any("window" in one for one in traits):
        return _image(value, traits.get("patch_size"), cut.image)
    if name in ("max_position_embeddings", "n_positions", "max_seq_len", "n_ctx"):
        return min(value, 1024)
    if name == "max_source_positions":
        return min(value, 100)
    if name == "num_queries":
        return min(value, 20)
    return _width(name, value, cut)


def _layers(cut: Cut, traits: dict[str, Any]) -> int:
    """How many layers are left: one of each kind at least."""
    kinds = traits.get("layer_types")
    return max(cut.layers, len(set(kinds)) if isinstance(kinds, list) else 0)


def _by_layer(name: str, value: Any, cut: Cut, traits: dict[str, Any]) -> Any:
    """What is said of each layer, for the layers that are left."""
    if cut.layers and len(value) == traits.get("num_hidden_layers") and name != "layer_types":
        return value[: _layers(cut, traits)]
    return value


def _image(value: int, patch: Any, most: int) -> int:
    patch = patch[0] if isinstance(patch, (list, tuple)) else patch
    step = patch if isinstance(patch, int) and patch else 16
    return min(value, max(2 * step, most // step * step))


def _width(name: str, value: int, cut: Cut) -> int:
    if cut.factor == 1:
        return value
    if cut.heads and _HEADS.search(name):
        return max(1, value // cut.factor)
    if cut.heads and _PER_HEAD.search(name):
        return value
    if _WIDTHS.search(name) and not _NOT_WIDTHS.search(name) and value >= 32 and value % cut.factor == 0:
        return value // cut.factor
    return value


def _numbers(name: str, value: Any, cut: Cut, tokens: Tokens, traits: dict[str, Any]) -> Any:
    if name == "layer_types" and cut.layers:
        kinds = list(dict.fromkeys(value))
        return (kinds + [kinds[-1]] * cut.layers)[: max(cut.layers, len(kinds))]
    if not all(isinstance(one, int) and not isinstance(one, bool) for one in value):
        return value
    if _DEPTHS.search(name) and cut.layers:
        return type(value)(min(one, 1) for one in value)
    if _TOKEN.search(name):
        return type(value)(tokens.within(one) for one in value)
    if name == "image_size" and cut.image and not any("window" in one for one in traits):
        return type(value)(_image(one, traits.get("patch_size"), cut.image) for one in value)
    if _WIDTHS.search(name) and not _NOT_WIDTHS.search(name) and all(one % cut.factor == 0 for one in value):
        return type(value)(one // cut.factor for one in value)
    return value
