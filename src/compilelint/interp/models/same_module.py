"""Functions of torch that change a module in place and give it back: parametrizations, pruning, memory formats.

`self.conv = weight_norm(nn.Conv1d(...))` holds a convolution like any other. Measured on torch 2.13: each returns
its first argument itself.
"""

from __future__ import annotations

from compilelint.interp.core.args import Args
from compilelint.interp.core.frame import Frame
from compilelint.interp.core.registry import model
from compilelint.values import UNKNOWN, Value

_UTILS = "torch.nn.utils"
_PRUNING = """
    identity random_unstructured l1_unstructured random_structured ln_structured custom_from_mask remove
""".split()


@model(
    *(f"{_UTILS}.{name}" for name in ("weight_norm", "remove_weight_norm", "spectral_norm", "remove_spectral_norm")),
    *(f"{_UTILS}.weight_norm.{name}" for name in ("weight_norm", "remove_weight_norm")),
    *(f"{_UTILS}.spectral_norm.{name}" for name in ("spectral_norm", "remove_spectral_norm")),
    *(f"{_UTILS}.parametrizations.{name}" for name in ("weight_norm", "spectral_norm", "orthogonal")),
    *(f"{_UTILS}.parametrize.{name}" for name in ("register_parametrization", "remove_parametrizations")),
    *(f"{_UTILS}.prune.{name}" for name in _PRUNING),
    *(f"{_UTILS}.convert_conv{n}d_weight_memory_format" for n in (2, 3)),
    *(f"{_UTILS}.memory_format.convert_conv{n}d_weight_memory_format" for n in (2, 3)),
    "torch.nn.SyncBatchNorm.convert_sync_batchnorm",
)
def same_module(f: Frame, args: Args, pos: int) -> Value:
    """The module itself."""
    return args.get(0, "module") or UNKNOWN
