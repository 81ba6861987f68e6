"""Three models of transformers, built small from their configurations, and two of `plain_models`, as small."""

from __future__ import annotations

from typing import Any

import torch
from plain_models import ConvNext, Residual
from transformers import BertConfig, BertModel, GPT2Config, GPT2LMHeadModel, ViTConfig, ViTForImageClassification

_SMALL = {"hidden_size": 256, "num_hidden_layers": 4, "num_attention_heads": 4, "intermediate_size": 1024}


def gpt2() -> torch.nn.Module:
    """GPT-2 with four layers of width 256."""
    return GPT2LMHeadModel(GPT2Config(n_embd=256, n_layer=4, n_head=4, vocab_size=4096, use_cache=False))


def bert() -> torch.nn.Module:
    """BERT with four layers of width 256."""
    return BertModel(BertConfig(**_SMALL, vocab_size=4096))


def vit() -> torch.nn.Module:
    """ViT with four layers of width 256, on pictures of 128 pixels in patches of 16."""
    settings: dict[str, Any] = {**_SMALL, "image_size": 128, "patch_size": 16}
    return ViTForImageClassification(ViTConfig(**settings))


def resnet() -> torch.nn.Module:
    """A residual network with bottlenecks, two a stage, a quarter as wide as ResNet-50."""
    return Residual(16, (2, 2, 2, 2))


def convnext() -> torch.nn.Module:
    """A ConvNeXt a third as wide as the tiny one."""
    return ConvNext(32, (2, 2, 4, 2))
