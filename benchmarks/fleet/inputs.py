"""Inputs of a transformers model from its signature and configuration: random, of two batch sizes and lengths.

What a model asks for beyond its signature it says in an error; `asked` reads the knobs to turn from it.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping
from typing import Any

import torch

from benchmarks.fleet.shrinking import VOCABULARY

Knobs = dict[str, Any]


def inputs_of(model: Any, config: Any, batch: int, length: int, knobs: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of one call, by name."""
    made: dict[str, Any] = {}
    parameters = inspect.signature(model.forward).parameters
    main = getattr(model, "main_input_name", "input_ids")
    needed = [name for name, one in parameters.items() if one.default is one.empty and one.kind.name in _BY_NAME]
    wanted = {*needed, main, *knobs.get("more", ())}
    images = {"pixel_values", "pixel_values_videos"} & wanted
    if "input_ids" in parameters and ("input_ids" in wanted or images):
        wanted |= {"input_ids", *({"attention_mask", "bbox"} & set(parameters))}
        if getattr(config, "is_encoder_decoder", False) and "decoder_input_ids" in parameters:
            wanted.add("decoder_input_ids")
    elif getattr(config, "is_encoder_decoder", False) and "decoder_input_ids" in parameters:
        wanted.add("decoder_input_ids")
    for name in (one for one in parameters if one in wanted):
        maker = _MAKERS.get(name)
        if maker is not None:
            made[name] = maker(_Case(config, batch, length, dict(knobs)))
    if "past_values" in made and "past_time_features" in parameters:
        made |= _series(config, batch)
    if {"hidden_states", "grid_thw"} <= set(parameters):
        made |= _patches(config, batch)
    if {"states", "actions"} <= set(parameters):
        made = _decisions(config, batch, length)
    return made


_BY_NAME = ("POSITIONAL_OR_KEYWORD", "KEYWORD_ONLY")


class _Case:
    """What one input is made from."""

    def __init__(self, config: Any, batch: int, length: int, knobs: Knobs) -> None:
        self.config, self.batch, self.length, self.knobs = config, batch, length, knobs

    def number(self, names: str, default: int) -> int:
        """The first of some settings that is a number, in the configuration or in one inside of it."""
        inside = ("vision_config", "text_config", "audio_config", "encoder", "encoder_config", "backbone_config")
        for one in (self.config, *(getattr(self.config, name, None) for name in inside)):
            for name in names.split():
                value = getattr(one, name, None)
                if isinstance(value, (list, tuple)) and value:
                    value = value[0]
                if isinstance(value, int) and not isinstance(value, bool):
                    return value
        return default

    def ids(self) -> torch.Tensor:
        text = self.config.get_text_config() if hasattr(self.config, "get_text_config") else self.config
        size = getattr(text, "vocab_size", None)
        high = min(size if isinstance(size, int) else VOCABULARY, VOCABULARY) - 24
        return torch.randint(3, max(high, 5), (self.batch, self.length))

    def image(self) -> torch.Tensor:
        size = self.knobs.get("size") or self.number("image_size input_size", 64)
        channels = self.knobs.get("channels") or self.number("num_channels in_channels in_chans", 3)
        frames = (self.knobs["frames"],) if "frames" in self.knobs else ()
        return torch.randn(self.batch, *frames, channels, size, size)

    def video(self) -> torch.Tensor:
        frames = self.number("num_frames frames_per_clip", 4)
        size = self.number("image_size crop_size", 64)
        return torch.randn(self.batch, frames, self.number("num_channels in_chans", 3), size, size)

    def wave(self) -> torch.Tensor:
        form = self.knobs.get("wave", "flat")
        if form == "spectrogram":
            return torch.randn(self.batch, self.number("max_length", 64), self.number("num_mel_bins", 80))
        return torch.randn(self.batch, *((1,) if form == "channel" else ()), 4000)

    def features(self) -> torch.Tensor:
        bins = self.number("num_mel_bins input_feat_per_channel feature_size input_dim n_mels", 80)
        length = self.knobs.get("length") or 2 * self.number("max_source_positions", 40)
        turned = self.knobs.get("turned", False)
        return torch.randn(self.batch, *((length, bins) if turned else (bins, length)))

    def values(self) -> torch.Tensor:
        channels = self.number("num_input_channels input_size", 1)
        return torch.randn(self.batch, self.number("context_length", 32), channels)

    def states(self) -> torch.Tensor:
        text = self.config.get_text_config() if hasattr(self.config, "get_text_config") else self.config
        return torch.randn(self.batch, self.length, text.hidden_size)

    def codes(self) -> torch.Tensor:
        return torch.randint(0, 16, (self.batch, self.number("num_quantizers n_codebooks", 4), 20))

    def patches(self) -> torch.Tensor:
        side = self.number("image_size", 64) // self.number("patch_size", 16)
        return torch.randint(0, 2, (self.batch, side * side)).bool()


_MAKERS: dict[str, Callable[[_Case], Any]] = {
    "input_ids": _Case.ids,
    "decoder_input_ids": _Case.ids,
    "inputs": _Case.ids,
    "attention_mask": lambda case: torch.ones(case.batch, case.length, dtype=torch.long),
    "bbox": lambda case: torch.zeros(case.batch, case.length, 4, dtype=torch.long),
    "pixel_values": _Case.image,
    "prompt_pixel_values": _Case.image,
    "prompt_masks": _Case.image,
    "pixel_values_videos": _Case.video,
    "input_features_mask": lambda case: torch.ones(case.batch, case.features().shape[-1], dtype=torch.long),
    "pixel_mask": lambda case: torch.ones(case.batch, *case.image().shape[-2:], dtype=torch.long),
    "input_values": _Case.wave,
    "waveform": _Case.wave,
    "input_features": _Case.features,
    "spectrogram": lambda case: torch.randn(case.batch, 40, case.number("num_mel_bins model_in_dim", 80)),
    "past_values": _Case.values,
    "hidden_states": _Case.states,
    "inputs_embeds": _Case.states,
    "audio_codes": _Case.codes,
    "encoder_hidden_states": lambda case: torch.randn(
        case.batch, 8, case.number("encoder_hidden_size hidden_size", 64)
    ),
    "query_embeds": lambda case: torch.randn(case.batch, 8, case.number("hidden_size", 64)),
    "bool_masked_pos": _Case.patches,
    "input_points": lambda case: torch.rand(case.batch, 1, 2, 2) * 32,
    "task_inputs": lambda case: torch.randint(0, 100, (case.batch, case.number("task_seq_len", 77))),
}


def _series(config: Any, batch: int) -> dict[str, Any]:
    """What models of time series with features of the time take."""
    lags = list(getattr(config, "lags_sequence", None) or [0])
    length = (getattr(config, "context_length", None) or 32) + max(lags)
    ahead, features = getattr(config, "prediction_length", None) or 8, getattr(config, "num_time_features", 0) or 0
    shape = () if config.input_size == 1 else (config.input_size,)
    values = torch.randn(batch, length, *shape)
    return {
        "past_values": values,
        "past_time_features": torch.randn(batch, length, features),
        "past_observed_mask": torch.ones_like(values),
        "future_values": torch.randn(batch, ahead, *shape),
        "future_time_features": torch.randn(batch, ahead, features),
    }


def _patches(config: Any, batch: int) -> dict[str, Any]:
    """What a tower takes that sees the flattened patches of pictures of any size: four by four of each."""
    channels = getattr(config, "in_channels", None) or getattr(config, "num_channels", None) or 3
    deep, side = getattr(config, "temporal_patch_size", None) or 1, getattr(config, "patch_size", None) or 14
    return {
        "hidden_states": torch.randn(batch * 16, channels * deep * side * side),
        "grid_thw": torch.tensor([[1, 4, 4]] * batch),
    }


def _decisions(config: Any, batch: int, length: int) -> dict[str, Any]:
    """What a decision transformer takes."""
    return {
        "states": torch.randn(batch, length, config.state_dim),
        "actions": torch.randn(batch, length, config.act_dim),
        "rewards": torch.randn(batch, length, 1),
        "returns_to_go": torch.randn(batch, length, 1),
        "timesteps": torch.arange(length)[None].repeat(batch, 1),
        "attention_mask": torch.ones(batch, length),
    }


def asked(error: str, knobs: Knobs, made: Mapping[str, Any], names: set[str]) -> Knobs | None:
    """The knobs to try next after an error; None where it gives no idea."""
    more: tuple[str, ...] = knobs.get("more", ())
    for name in sorted(names - set(made) - set(more)):
        if name in error and name in _MAKERS:
            return {**knobs, "more": (*more, name)}
    if "NoneType" in error:  # something that the signature calls optional, and only then
        for name in ("pixel_values", "input_features", "input_ids"):
            if name in names and name not in made and name not in more:
                return {**knobs, "more": (*more, name)}
    if "pixel_values" in made:
        channels = re.search(r"to have (\d+) channels", error)
        if channels and "channels" not in knobs and int(channels[1]) <= 16:
            return {**knobs, "channels": int(channels[1])}
        size = re.search(r"\((\d+)\*\d+\)", error)
        if "match model" in error and size and "size" not in knobs:
            return {**knobs, "size": int(size[1])}
        if re.search(r"expected [45]|5D|num_frames|permute", error) and "frames" not in knobs:
            return {**knobs, "frames": 2}
    if "input_features" in made:
        length = re.search(r"to be of length (\d+)", error)
        if length and "length" not in knobs:
            return {**knobs, "length": int(length[1])}
        if "turned" not in knobs:
            return {**knobs, "turned": True}
    if "input_values" in made and knobs.get("wave") != "spectrogram":
        return {**knobs, "wave": "channel" if "wave" not in knobs else "spectrogram"}
    return None
