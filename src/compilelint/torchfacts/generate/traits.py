"""What a callable is, seen from one uncompiled call: what it returns, whether it is random, whether a view."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

import torch

from compilelint.torchfacts.generate.fault import Fault
from compilelint.torchfacts.generate.measure import eager_result
from compilelint.torchfacts.generate.probes import Module, Probe
from compilelint.torchfacts.vocabulary import Returns

# A run on the CPU cannot show that the host waits for the device; these copy from it, or need a value of it.
SYNC = (
    "torch.Tensor.item",
    "torch.Tensor.tolist",
    "torch.Tensor.cpu",
    "torch.Tensor.numpy",
    "torch.Tensor.is_nonzero",
    "torch.is_nonzero",
    "torch.Tensor.nonzero",
    "torch.nonzero",
    "torch.Tensor.argwhere",
    "torch.argwhere",
    "torch.Tensor.masked_select",
    "torch.masked_select",
    "torch.Tensor.unique",
    "torch.unique",
    "torch.Tensor.unique_consecutive",
    "torch.unique_consecutive",
    "torch.Tensor.bincount",
    "torch.bincount",
    "torch.Tensor.equal",
    "torch.equal",
    "torch.Tensor.allclose",
    "torch.allclose",
    "torch.cuda.synchronize",
    "torch.cuda.empty_cache",
)


def _returning(probe: Probe) -> Probe | None:
    """The probe changed to return what its call gives; None where its body is more than a call."""
    if "|" in probe.key or ":" in probe.key.removeprefix("layer:"):
        return None
    lines = probe.body.splitlines()
    if lines[-1].startswith("t = ") and len(lines) == 1:
        return replace(probe, body="return " + lines[-1].removeprefix("t = "))
    return probe if len(lines) == 1 and lines[0].startswith("return ") else None


def _kind(result: Any) -> Returns:
    if result is None:
        return Returns.NONE
    if isinstance(result, torch.Tensor):
        return Returns.TENSOR
    if isinstance(result, (tuple, list)) and result and all(isinstance(item, torch.Tensor) for item in result):
        return Returns.TENSORS
    if type(result).__module__.partition(".")[0] == "numpy":
        return Returns.TENSOR  # Dynamo traces arrays and numpy scalars as tensors
    if isinstance(
        result, (bool, int, float, complex, str, bytes, tuple, list, dict, torch.dtype, torch.device, torch.layout)
    ):
        return Returns.PYTHON_VALUE
    return Returns.UNKNOWN


def _storages(values: Any) -> set[int]:
    values = values if isinstance(values, (tuple, list)) else [values]
    return {
        value.untyped_storage().data_ptr()
        for value in values
        if type(value) is torch.Tensor and value.layout == torch.strided and value.numel()
    }


def traits_of(module: Module, probe: Probe) -> dict[str, Any]:
    """Traits by name, only those that hold; empty where the probe is not one call."""
    single = _returning(probe)
    if single is None:
        return {}
    before, python_before = torch.get_rng_state(), random.getstate()
    with Fault() as fault:
        result, arguments = eager_result(module, single)
    drawn = not torch.equal(before, torch.get_rng_state()) or python_before != random.getstate()
    torch.set_rng_state(before)
    if fault.error is not None:
        return {}
    traits: dict[str, Any] = {"returns": _kind(result).value}
    if drawn:
        traits["random"] = True
    if not any(result is argument for argument in arguments) and _storages(result) & _storages(arguments):
        traits["view"] = True
    return traits
