"""Inputs of a diffusers model from its signature and configuration, in each form that models of the library take.

Which form a model takes (an image, a video, packed patches) its signature does not say: `forms` are tried in turn.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import torch

TEXT = 7
"""Tokens of text."""

_TEXT_WIDTHS = (
    "text_embed_dim text_dim caption_channels joint_attention_dim cap_feat_dim text_in_dim cond_token_dim "
    "cross_attention_input_dim encoder_hidden_size text_hidden_dim embedding_dim context_in_dim text_feat_dim "
    "encoder_hid_dim cross_attention_dim"
)
"""Settings that say how wide the states of a text are, the one that is nearest to the input first."""


@dataclass(frozen=True)
class Form:
    """How a sample is laid out, what kind of number a time is, and whether masks are given."""

    layout: str
    side: int = 16
    whole_times: bool = True
    masks: bool = False


def forms(name: str, parameters: Mapping[str, Any]) -> Iterator[Form]:
    """The forms to try for a class of this name, the likeliest first."""
    video, image = ("video", "frames first", "single frame"), ("image", "large image")
    order: tuple[str, ...] = (*image, *video, "packed", "line", "long line")
    if "3D" in name or "Motion" in name or "Temporal" in name or "Video" in name:
        order = (*video, *image, "packed", "line", "long line")
    elif "1D" in name or "Audio" in name or "Oobleck" in name:
        order = ("line", "packed", "long line", *image)
    elif {"img_ids", "txt_ids", "image_rotary_emb"} & set(parameters):
        order = ("packed", *image, *video)
    for masks in (False, True):
        for layout in order:
            for whole in (True, False):
                yield Form(layout, 32 if layout == "large image" else 16, whole, masks)


def inputs_of(model: Any, form: Form, batch: int) -> dict[str, Any]:
    """The arguments of one call, by name. Raises KeyError for one that nothing is known of."""
    case = _Case(model.config, form, batch)
    made: dict[str, Any] = {}
    for name, one in inspect.signature(model.forward).parameters.items():
        if one.kind.name.startswith("VAR"):
            continue
        needed = one.default is one.empty
        maker = _MAKERS.get(name)
        value = maker(case) if maker is not None else None
        if value is not None:
            made[name] = value
        elif needed:
            raise KeyError(name)
    return made


class _Case:
    def __init__(self, config: Mapping[str, Any], form: Form, batch: int) -> None:
        self.config, self.form, self.batch = config, form, batch

    def number(self, names: str) -> int | None:
        """The first of some settings that is a number, or a sequence that begins with one."""
        for name in names.split():
            value = self.config.get(name)
            value = value[0] if isinstance(value, (list, tuple)) and value else value
            if isinstance(value, int) and not isinstance(value, bool):
                return value
        return None

    def sample(self) -> torch.Tensor:
        channels = self.number("in_channels in_dim io_channels num_channels image_channels latent_channels") or 4
        side, layout = self.form.side, self.form.layout
        shapes = {
            "image": (channels, side, side),
            "large image": (channels, side, side),
            "video": (channels, 5, side, side),
            "frames first": (5, channels, side, side),
            "single frame": (channels, 1, side, side),
            "packed": (16, channels),
            "line": (channels, 64),
            "long line": (self.number("audio_channels in_channels") or 1, 4096),
        }
        return torch.randn(self.batch, *shapes[layout])

    def text(self) -> torch.Tensor | None:
        width = self.number(_TEXT_WIDTHS)
        return None if width is None else torch.randn(self.batch, TEXT, width)

    def time(self) -> torch.Tensor:
        return torch.full((self.batch,), 3 if self.form.whole_times else 0.5)

    def pooled(self) -> torch.Tensor | None:
        width = self.number("pooled_projection_dim global_states_input_dim global_cond_dim")
        return None if width is None else torch.randn(self.batch, width)

    def whole(self) -> torch.Tensor | None:
        pooled = self.pooled()
        return None if pooled is None else pooled[:, None]

    def places(self, count: int) -> torch.Tensor:
        axes = next(
            (self.config[one] for one in ("axes_dims_rope", "axes_dim", "axes_dims") if self.config.get(one)), (1,) * 3
        )
        return torch.arange(count)[:, None].repeat(1, len(axes)).float()

    def mask(self) -> torch.Tensor | None:
        return torch.ones(self.batch, TEXT, dtype=torch.bool) if self.form.masks else None

    def sizes(self) -> torch.Tensor:
        return torch.full((self.batch, 2), float(8 * self.form.side))

    def guidance(self) -> torch.Tensor | None:
        return torch.full((self.batch,), 3.5) if self.config.get("guidance_embeds") else None

    def labels(self) -> torch.Tensor | None:
        known = self.config.get("num_embeds_ada_norm") or self.config.get("num_class_embeds")
        return torch.ones(self.batch, dtype=torch.long) if known else None

    def condition(self) -> torch.Tensor | None:
        """What a ControlNet sees: an image as large as its embedding makes it small, else like the sample."""
        sample = self.sample()
        channels = self.number("conditioning_channels ctrl_conditioning_channels")
        if channels is None:
            return sample
        small = self.config.get("conditioning_embedding_out_channels") or ()
        small = small or self.config.get("ctrl_conditioning_embedding_out_channels") or ()
        shape = list(sample.shape)
        shape[1] = channels
        shape[-2:] = [one * 2 ** max(len(small) - 1, 0) for one in shape[-2:]]
        return torch.randn(shape)


_MAKERS: dict[str, Callable[[_Case], Any]] = {
    "hidden_states": _Case.sample,
    "sample": _Case.sample,
    "x": _Case.sample,
    "latents": _Case.sample,
    "encoder_hidden_states": _Case.text,
    "text_bth": _Case.text,
    "text_lens": lambda case: torch.full((case.batch,), TEXT),
    "context": _Case.text,
    "timestep": _Case.time,
    "timesteps": _Case.time,
    "timestep_r": _Case.time,
    "r_timestep": _Case.time,
    "pooled_projections": _Case.pooled,
    "global_hidden_states": _Case.whole,
    "img_ids": lambda case: case.places(16),
    "txt_ids": lambda case: case.places(TEXT),
    "guidance": _Case.guidance,
    "class_labels": _Case.labels,
    "encoder_attention_mask": _Case.mask,
    "encoder_hidden_states_mask": _Case.mask,
    "attention_mask": _Case.mask,
    "original_size": _Case.sizes,
    "target_size": _Case.sizes,
    "crop_coords": _Case.sizes,
    "controlnet_cond": _Case.condition,
    "resolution": _Case.sizes,
    "added_time_ids": lambda case: torch.ones(case.batch, 3),
    "num_frames": lambda case: 1,
    "img_shapes": lambda case: [[(1, 4, 4)]] * case.batch,
    "txt_seq_lens": lambda case: [TEXT] * case.batch,
}
