"""From the name of a target to something that can be called, and where it is defined. Runs the user's code.

Raises whatever the user's code raises; `TargetKindError` where what was found cannot be compiled.
"""

from __future__ import annotations

import functools
import importlib
import importlib.util
import inspect
import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import torch

from compilelint.dynamic.worker.adapters import tiny
from compilelint.dynamic.worker.faults import hands_over

FACTORY_RETURNS = (
    "a factory returns model, (model, inputs) with inputs as a tensor, a tuple or a dict of names, "
    "(model, args, kwargs), or (model, [(args, kwargs), ...]) for several calls"
)


class TargetKindError(Exception):
    """What the name stands for is nothing to compile; the text says what it is and what to name instead."""


@dataclass
class Loaded:
    """The module or function to compile, what its factory gave to call it with, and where it is defined."""

    function: Any
    given: Any
    place: list[Any] | None
    adapter: str = ""


def find(reference: str) -> Any:
    """Import what `pkg.mod:Name` or `file.py:Name` names."""
    where, _, name = reference.rpartition(":")
    module = _from_file(where) if where.endswith(".py") else importlib.import_module(where)
    found: Any = module
    for part in name.split("."):
        try:
            found = getattr(found, part)
        except AttributeError:
            raise TargetKindError(f"{where} has no {name}") from None
        if isinstance(found, ModuleType):  # who checks where a target's module lies has checked `where` alone
            raise TargetKindError(f"{where}:{part} is a module; name it before the colon: {found.__name__}:Name")
    return found


def _from_file(path: str) -> ModuleType:
    path = os.path.realpath(path)
    name = os.path.splitext(os.path.basename(path))[0]
    known = sys.modules.get(name)
    if known is not None and os.path.realpath(getattr(known, "__file__", None) or "") == path:
        return known
    if os.path.dirname(path) not in sys.path:
        sys.path.insert(0, os.path.dirname(path))
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise TargetKindError(f"{path} is not a Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:  # as `import` does: a module that did not run to its end is none
        sys.modules.pop(name, None)
        raise
    return module


@hands_over
def build(found: Any, arguments: Mapping[str, Any]) -> Loaded:
    """Make what is to be compiled of a class, a factory, an instance or a function."""
    place = place_of(found)
    adapter = ""
    if isinstance(found, type):
        if not issubclass(found, torch.nn.Module):
            raise TargetKindError(f"{found.__name__} is not an nn.Module; name a module class, a factory or a function")
        made, adapter = (found(**arguments), "") if arguments else _instance(found)
    elif isinstance(found, torch.nn.Module) or not callable(found):
        made = found
    elif arguments or not _required(found):
        made = found(**arguments)
        if not _is_model(made):
            if arguments:
                raise TargetKindError(
                    f"{found.__name__} returned {type(made).__name__}, neither a module nor a function"
                )
            made = found  # a function without parameters is compiled itself
    else:
        made = found
    made, given = _parted(made) if isinstance(made, tuple) else (made, None)
    if not callable(made):
        raise TargetKindError(f"{type(made).__name__} cannot be called; name a module class, a factory or a function")
    return Loaded(made, given, place_of(type(made) if isinstance(made, torch.nn.Module) else made) or place, adapter)


@hands_over
def _instance(kind: Callable[..., Any]) -> tuple[Any, str]:
    """An instance with no arguments, or a small one where a library we know describes its models by configuration."""
    adapted = tiny(kind)
    if adapted is not None:
        return adapted
    missing = _required(kind)
    if missing:
        name = getattr(kind, "__name__", "it")
        raise TargetKindError(
            f"{name} needs {', '.join(missing)}; write `arguments = {{ ... }}` in its [[tool.compilelint.targets]] "
            "([[targets]] in compilelint.toml), "
            f"or name a factory: def make(): return {name}(...)"
        )
    return kind(), ""


def _is_model(made: Any) -> bool:
    if isinstance(made, tuple):
        return len(made) >= 2 and callable(made[0])
    return callable(made)


def _parted(made: tuple[Any, ...]) -> tuple[Any, Any]:
    """The model and what to call it with, of the tuple that a factory returned. Raises TargetKindError."""
    model, *rest = made
    if len(rest) == 2 and isinstance(rest[0], (tuple, list)) and isinstance(rest[1], Mapping):
        return model, [(tuple(rest[0]), dict(rest[1]))]
    if len(rest) == 1 and isinstance(rest[0], (torch.Tensor, tuple, list, Mapping)):
        return model, rest[0]
    returned = ", ".join(type(one).__name__ for one in made)
    raise TargetKindError(f"its factory returned ({returned}); {FACTORY_RETURNS}")


def _required(function: Callable[..., Any]) -> list[str]:
    """The parameters without a default; empty where the signature is not known."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (ValueError, TypeError):
        return []
    variadic = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    return [one.name for one in parameters if one.default is one.empty and one.kind not in variadic]


def place_of(found: Any) -> list[Any] | None:
    """Where a class or function is defined, as path, line and name; None for what has no source."""
    while isinstance(found, functools.partial):
        found = found.func
    if isinstance(found, torch.nn.Module):
        found = type(found)
    if not isinstance(found, type):
        found = inspect.unwrap(found) if callable(found) else type(found)
        found = getattr(found, "__func__", found)
    try:
        path = inspect.getsourcefile(found)
        line = found.__code__.co_firstlineno if hasattr(found, "__code__") else inspect.getsourcelines(found)[1]
    except (TypeError, OSError):
        return None
    return [path, line, getattr(found, "__qualname__", "")] if path else None
