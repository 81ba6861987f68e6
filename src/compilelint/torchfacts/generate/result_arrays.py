"""NumPy's functions as Dynamo traces them: those of `torch._numpy`, called with tensors and read as tensors.

What they return is what compiled code has, which is not always what NumPy would return.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

import torch
import torch._numpy as implementation

# These write or read files, or set how arrays print.
_LEFT_OUT = ("save", "load", "file", "dump", "print", "seterr", "seed")


def functions() -> Iterator[tuple[str, Callable[..., Any]]]:
    """Every function and method of arrays that Dynamo traces, by the name that programs use (`numpy.sum`)."""
    spaces: dict[str, ModuleType] = {"numpy": implementation}
    for name in ("linalg", "fft", "random"):
        spaces[f"numpy.{name}"] = getattr(implementation, name)
    for space, module in spaces.items():
        for name in sorted(vars(module)):
            value = getattr(module, name)
            if _is_asked(name, value) and (getattr(value, "__module__", "") or "").startswith("torch._numpy"):
                yield f"{space}.{name}", on_arrays(value)
    for name in sorted(vars(implementation.ndarray)):
        if _is_asked(name, getattr(implementation.ndarray, name)):
            yield f"numpy.ndarray.{name}", _method(name)


def _is_asked(name: str, value: Any) -> bool:
    public = not name.startswith("_") and not any(word in name for word in _LEFT_OUT)
    return public and callable(value) and not isinstance(value, (type, ModuleType))


def on_arrays(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function with arrays read back as tensors."""

    def called(*args: Any, **kwargs: Any) -> Any:
        return _tensors(function(*args, **_own(kwargs)))

    return called


def _own(kwargs: dict[str, Any]) -> dict[str, Any]:
    """Raises TypeError for a dtype of torch, which these functions do not read as one."""
    if any(isinstance(one, torch.dtype) for one in kwargs.values()):
        raise TypeError(kwargs)
    return kwargs


def _method(name: str) -> Callable[..., Any]:
    def called(first: Any, *args: Any, **kwargs: Any) -> Any:
        if not isinstance(first, torch.Tensor):
            raise TypeError(first)
        return _tensors(getattr(implementation.asarray(first), name)(*args, **_own(kwargs)))

    return called


def _tensors(value: Any) -> Any:
    if isinstance(value, implementation.ndarray):
        return value.tensor
    if type(value) in (list, tuple):
        return type(value)(_tensors(item) for item in value)
    if isinstance(value, tuple):
        return tuple(_tensors(item) for item in value)
    return value
