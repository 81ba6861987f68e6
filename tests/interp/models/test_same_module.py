"""Modules that are parametrized, pruned or converted in place."""

from __future__ import annotations

import importlib

import pytest
import torch
from torch import nn
from torch.nn import utils

from compilelint.interp.core.registry import MODELS
from compilelint.interp.models.same_module import same_module
from tests.support.reveal import check


def test_a_parametrized_layer_computes_as_before() -> None:
    check("""
        from torch.nn.utils import weight_norm
        from torch.nn.utils.parametrizations import spectral_norm

        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.conv = weight_norm(nn.Conv1d(4, 4, 3))
                self.out = spectral_norm(nn.Linear(4, 4))

            def forward(self, x: Tensor):
                reveal_type(self.conv(x))  # tensor float computed
                reveal_type(self.out(x))  # tensor float computed
    """)


def test_a_parametrized_module_of_the_program_is_followed() -> None:
    check("""
        from torch.nn.utils.parametrize import register_parametrization

        class Inner(nn.Module):
            def forward(self, x):
                return x.sum()

        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.inner = register_parametrization(Inner(), "weight", nn.Identity())

            def forward(self, x: Tensor):
                reveal_type(self.inner(x))  # tensor 0-d computed
    """)


_ARGUMENTS = {
    "register_parametrization": ("weight", nn.Identity()),
    "l1_unstructured": ("weight", 0.5),
    "random_unstructured": ("weight", 0.5),
    "random_structured": ("weight", 0.5, 0),
    "ln_structured": ("weight", 0.5, 2, 0),
    "custom_from_mask": ("weight", torch.ones(4, 4)),
    "identity": ("weight",),
    "convert_conv2d_weight_memory_format": (torch.channels_last,),
    "convert_conv3d_weight_memory_format": (torch.channels_last,),
}


@pytest.mark.parametrize("name", sorted(name for name, made in MODELS.items() if made is same_module))
@pytest.mark.filterwarnings("ignore::FutureWarning")
def test_torch_gives_back_what_it_is_given(name: str) -> None:
    short = name.rpartition(".")[2]
    undone = {"remove_weight_norm": utils.weight_norm, "remove_spectral_norm": utils.spectral_norm}
    module: nn.Module = nn.Linear(4, 4)
    if short in undone:
        undone[short](module)
    elif short == "remove":
        torch.nn.utils.prune.identity(module, "weight")
    elif short == "remove_parametrizations":
        torch.nn.utils.parametrize.register_parametrization(module, "weight", nn.Identity())
    elif short == "convert_sync_batchnorm":
        module = nn.Sequential(nn.BatchNorm2d(4))
    given = _ARGUMENTS.get(short, ("weight",) if short.startswith("remove") and short not in undone else ())

    where = name.rpartition(".")[0]
    place = nn.SyncBatchNorm if where == "torch.nn.SyncBatchNorm" else importlib.import_module(where)

    assert getattr(place, short)(module, *given) is module
