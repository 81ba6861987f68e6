"""The models of these programs with small inputs, as `benchmarks.reproducers` takes them."""

from __future__ import annotations

import torch
from torch import Tensor, nn

import chosen_tokens_before
import counted_experts_before
import counted_nodes_before
import dropped_layers_before
import guarded_blocks_before
import kept_boxes_before
import logged_decoder_before
import printed_features_before
import prototypes_before
import read_gates_before
import read_index_before
import ready_codebooks_before
import timed_forward_before

Made = tuple[nn.Module, tuple[Tensor, ...]]


def chosen_tokens() -> Made:
    tokens = torch.arange(16).view(2, 8)
    return chosen_tokens_before.Masked(64, 1, 20), (tokens, torch.where(tokens % 3 == 0, tokens, -100))


def counted_experts() -> Made:
    return counted_experts_before.Model(64, 1), (torch.randn(2, 8, 64),)


def counted_nodes() -> Made:
    return counted_nodes_before.Net(16, 1), (torch.randn(6, 16), torch.tensor([[0, 1, 5], [1, 2, 0]]))


def dropped_layers() -> Made:
    return dropped_layers_before.Model(64, 2), (torch.randn(2, 8, 64),)


def guarded_blocks() -> Made:
    return guarded_blocks_before.Classifier(64, 1), (torch.randn(2, 3, 32, 32),)


def kept_boxes() -> Made:
    return kept_boxes_before.Detector(8, 1), (torch.randn(1, 3, 32, 32),)


def logged_decoder() -> Made:
    return logged_decoder_before.Model(64, 1), (torch.randn(2, 8, 64),)


def printed_features() -> Made:
    return printed_features_before.Net(8, 1), (torch.randn(1, 3, 32, 32),)


def prototypes() -> Made:
    return prototypes_before.Prototypes(8, 1), (torch.randn(10, 3, 32, 32), torch.arange(10) % 5)


def read_gates() -> Made:
    return read_gates_before.Classifier(64, 1), (torch.randn(1, 3, 32, 32),)


def read_index() -> Made:
    return read_index_before.Denoiser(8, 1), (torch.randn(1, 4, 8, 8), torch.tensor(700))


def ready_codebooks() -> Made:
    return ready_codebooks_before.Codec(16, 1), (torch.randn(1, 1, 256),)


def timed_forward() -> Made:
    return timed_forward_before.Net(8, 1), (torch.randn(2, 3, 32, 32),)
