"""The twelve models of GraphMend's registry that need no download, built small: for `benchmarks.fixes.graphmend`.

Sizes and inputs are those of its artifact (`jac/paper_eval/registry.py` of savini98/CGO_AE_GraphMend, which was read
and not run), with transformers 4.52.4. A recipe names the files that hold what breaks, and the rows of the published
table that share its code: the artifact builds five T5 models alike, three BART models, and so on.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

import torch

Call = tuple[tuple[Any, ...], dict[str, Any]]
_SEQ2SEQ = {
    "vocab_size": 128,
    "d_model": 64,
    "encoder_layers": 2,
    "decoder_layers": 2,
    "encoder_attention_heads": 2,
    "decoder_attention_heads": 2,
    "encoder_ffn_dim": 128,
    "decoder_ffn_dim": 128,
}
_ENCODER = {
    "vocab_size": 128,
    "hidden_size": 64,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "intermediate_size": 128,
}
_LONGROPE = {"type": "longrope", "short_factor": [1.0] * 16, "long_factor": [2.0] * 16}

# model: class, configuration, its arguments, files below `transformers`, rows, published breaks before and after
_MODELS: dict[str, tuple[str, str, dict[str, Any], tuple[str, ...], int, int, int]] = {
    "t5": (
        "T5ForConditionalGeneration",
        "T5Config",
        {"vocab_size": 128, "d_model": 64, "d_ff": 128, "num_layers": 2, "num_heads": 2, "d_kv": 32},
        ("models/t5/modeling_t5.py", "modeling_utils.py"),
        5,
        3,
        0,
    ),
    "whisper": (
        "WhisperForConditionalGeneration",
        "WhisperConfig",
        {
            **_SEQ2SEQ,
            "num_mel_bins": 80,
            "max_source_positions": 64,
            "max_target_positions": 64,
            "decoder_start_token_id": 2,
            "pad_token_id": 0,
            "bos_token_id": 1,
            "eos_token_id": 2,
        },
        ("models/whisper/modeling_whisper.py", "modeling_utils.py"),
        3,
        3,
        0,
    ),
    "bart": (
        "BartForConditionalGeneration",
        "BartConfig",
        {**_SEQ2SEQ, "max_position_embeddings": 64},
        ("models/bart/modeling_bart.py", "modeling_utils.py"),
        3,
        3,
        0,
    ),
    "biogpt": (
        "BioGptForCausalLM",
        "BioGptConfig",
        {**_ENCODER, "max_position_embeddings": 64},
        ("models/biogpt/modeling_biogpt.py", "modeling_utils.py"),
        1,
        2,
        0,
    ),
    "blenderbot": (
        "BlenderbotForConditionalGeneration",
        "BlenderbotConfig",
        {**_SEQ2SEQ, "max_position_embeddings": 64},
        ("models/blenderbot/modeling_blenderbot.py", "modeling_utils.py"),
        1,
        3,
        0,
    ),
    "marian": (
        "MarianMTModel",
        "MarianConfig",
        {**_SEQ2SEQ, "max_position_embeddings": 64, "decoder_start_token_id": 2, "pad_token_id": 1},
        ("models/marian/modeling_marian.py", "modeling_utils.py"),
        1,
        3,
        0,
    ),
    "pegasus": (
        "PegasusForCausalLM",
        "PegasusConfig",
        {
            "vocab_size": 128,
            "d_model": 64,
            "decoder_layers": 2,
            "decoder_attention_heads": 2,
            "decoder_ffn_dim": 128,
            "max_position_embeddings": 64,
        },
        ("models/pegasus/modeling_pegasus.py", "modeling_utils.py"),
        1,
        2,
        0,
    ),
    "layoutlmv3": (
        "LayoutLMv3Model",
        "LayoutLMv3Config",
        {
            **_ENCODER,
            "max_position_embeddings": 64,
            "max_2d_position_embeddings": 1024,
            "coordinate_size": 8,
            "shape_size": 16,
            "input_size": 32,
            "patch_size": 16,
            "visual_embed": False,
        },
        ("models/layoutlmv3/modeling_layoutlmv3.py", "modeling_utils.py"),
        1,
        2,
        0,
    ),
    "phi3": (
        "Phi3ForCausalLM",
        "Phi3Config",
        {
            **_ENCODER,
            "pad_token_id": 0,
            "num_key_value_heads": 2,
            "max_position_embeddings": 64,
            "original_max_position_embeddings": 16,
            "rope_scaling": _LONGROPE,
        },
        ("models/phi3/modeling_phi3.py", "modeling_rope_utils.py", "modeling_utils.py"),
        1,
        5,
        0,
    ),
    "grounding-dino": (
        "GroundingDinoModel",
        "GroundingDinoConfig",
        {
            "d_model": 64,
            "encoder_layers": 1,
            "decoder_layers": 1,
            "encoder_attention_heads": 2,
            "decoder_attention_heads": 2,
            "encoder_ffn_dim": 128,
            "decoder_ffn_dim": 128,
            "num_queries": 4,
            "num_feature_levels": 2,
            "use_timm_backbone": False,
        },
        ("models/grounding_dino/modeling_grounding_dino.py", "modeling_utils.py"),
        2,
        16,
        7,
    ),
    "longformer": (
        "LongformerModel",
        "LongformerConfig",
        {**_ENCODER, "max_position_embeddings": 512, "attention_window": 8},
        ("models/longformer/modeling_longformer.py", "modeling_utils.py"),
        1,
        5,
        3,
    ),
    "clap": ("ClapModel", "ClapConfig", {}, ("models/clap/modeling_clap.py", "modeling_utils.py"), 1, 2, 2),
}


def recipes() -> dict[str, dict[str, Any]]:
    """By model what `built` takes, with its files, its number of rows, and the published breaks before and after."""
    return {
        name: {"case": name, "mode": "eval", "files": files, "rows": rows, "published": (before, after)}
        for name, (_, _, _, files, rows, before, after) in _MODELS.items()
    }


def built(recipe: dict[str, Any]) -> tuple[Any, list[Call]]:
    """The model with random weights, and its one call."""
    torch.manual_seed(0)
    name = recipe["case"]
    kind, config, given, *_ = _MODELS[name]
    transformers = importlib.import_module("transformers")
    settings = getattr(transformers, config)(**given, **_NESTED.get(name, dict)())
    if name == "clap":
        _small_clap(settings)
    return getattr(transformers, kind)(settings).eval(), [((), _CALLS[name]())]


def _small_clap(settings: Any) -> None:
    for name, value in {**_ENCODER, "num_hidden_layers": 1}.items():
        setattr(settings.text_config, name, value)
    settings.projection_dim = 32
    settings.audio_config.enable_fusion = True  # what breaks stands in the fusion of long sounds


def _dino() -> dict[str, Any]:
    transformers = importlib.import_module("transformers")
    backbone = transformers.SwinConfig(
        image_size=32,
        patch_size=4,
        embed_dim=16,
        depths=[1, 1],
        num_heads=[1, 1],
        window_size=2,
        out_features=["stage1", "stage2"],
    )
    text = transformers.BertConfig(**_ENCODER, max_position_embeddings=64)
    return {"backbone_config": backbone, "text_config": text}


def _ids(length: int = 8, least: int = 0) -> torch.Tensor:
    return torch.randint(least, 128, (1, length))


def _pair(least: int = 0) -> dict[str, Any]:
    return {"input_ids": _ids(least=least), "decoder_input_ids": _ids(least=least)}


_NESTED: dict[str, Callable[[], dict[str, Any]]] = {"grounding-dino": _dino}
_CALLS: dict[str, Callable[[], dict[str, Any]]] = {
    "t5": _pair,
    "whisper": lambda: {"input_features": torch.randn(1, 80, 128), "decoder_input_ids": _ids()},
    "bart": lambda: _pair(least=3),
    "biogpt": lambda: {"input_ids": _ids()},
    "blenderbot": _pair,
    "marian": lambda: _pair(least=3),
    "pegasus": lambda: {"input_ids": _ids()},
    "layoutlmv3": lambda: {"input_ids": _ids(), "bbox": torch.zeros(1, 8, 4, dtype=torch.long)},
    "phi3": lambda: {"input_ids": _ids()},
    "grounding-dino": lambda: {"pixel_values": torch.randn(1, 3, 32, 32), "input_ids": _ids()},
    "longformer": lambda: {"input_ids": _ids(20)},
    "clap": lambda: {
        "input_ids": _ids(),
        "attention_mask": torch.ones(1, 8, dtype=torch.long),
        "input_features": torch.randn(1, 4, 1001, 64),
        "is_longer": torch.ones(1, 1, dtype=torch.bool),
    },
}
