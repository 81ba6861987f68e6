"""What modules have besides what a program stores on them, asked of torch itself."""

from __future__ import annotations

import inspect
from collections.abc import Callable

import torch
from torch import nn

_CONTAINERS = (nn.Sequential, nn.ModuleList, nn.ModuleDict, nn.ParameterList, nn.ParameterDict, nn.LSTM)


def members() -> dict[str, frozenset[str]]:
    """`module`: methods of `torch.nn.Module`, and the public ones of the layers that programs derive from.

    `module self`: those that return the module itself.
    """
    own = {name for name, value in vars(nn.Module).items() if callable(value)}
    public = {name for kind in _CONTAINERS for name in dir(kind) if not name.startswith("_")}
    inherited = {name for name in public if callable(getattr(nn.Module, name, None)) or _is_method(name)}
    return {
        "module": frozenset(own | inherited),
        "module self": frozenset(name for name in own if not name.startswith("_") and _returns_itself(name)),
    }


def _is_method(name: str) -> bool:
    return any(callable(getattr(kind, name, None)) for kind in _CONTAINERS)


def _returns_itself(name: str) -> bool:
    method: Callable[..., object] = getattr(nn.Module, name)
    if "Self" in str(inspect.signature(method).return_annotation):
        return True
    for args in ((), ("cpu",), (torch.float32,)):
        module = nn.Identity()
        try:
            if method(module, *args) is module:
                return True
        except Exception:  # noqa: BLE001  a method that wants other arguments says nothing here
            continue
    return False
