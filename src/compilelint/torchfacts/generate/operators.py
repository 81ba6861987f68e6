"""Probes made from torch's own op and module databases: sample inputs that torch tests itself with.

A key gets one probe a kind of argument list, few of them; which of several verdicts stands for the key is decided
by `worker.py`, and a key that really depends on its arguments belongs into `snippets/forms.txt`.
"""

from __future__ import annotations

import importlib
import math
import sys
import types
import unittest
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import torch
from torch.utils._pytree import tree_leaves

from compilelint.torchfacts.generate.fault import Fault
from compilelint.torchfacts.generate.probes import Probe

FORMS = 3
_SAMPLES = 200
_NAMESPACES = (
    ("torch", torch),
    ("torch.nn.functional", torch.nn.functional),
    ("torch.linalg", torch.linalg),
    ("torch.fft", torch.fft),
    ("torch.special", torch.special),
    ("torch.signal.windows", torch.signal.windows),
    ("torch.sparse", torch.sparse),
    ("torch.masked", torch.masked),
)


def _with_expecttest() -> None:
    """torch's op database imports `expecttest`, of which it needs two names at import time and nothing after."""
    try:
        importlib.import_module("expecttest")
    except ImportError:
        stand_in = types.ModuleType("expecttest")
        vars(stand_in).update(TestCase=unittest.TestCase, assert_expected_inline=lambda *_, **__: None)
        sys.modules["expecttest"] = stand_in


class Literals:
    """Turns sample arguments into source: tensors become parameters, what has no literal becomes a global."""

    def __init__(self) -> None:
        self.tensors: list[torch.Tensor] = []
        self.objects: dict[str, Any] = {}

    def of(self, value: Any) -> str:
        """Source of one value."""
        if isinstance(value, torch.Tensor):
            for index, tensor in enumerate(self.tensors):
                if tensor is value:
                    return f"t{index}"
            self.tensors.append(value)
            return f"t{len(self.tensors) - 1}"
        if value is None or value is Ellipsis or type(value) in (bool, int, str, bytes):
            return repr(value)
        if type(value) is float:
            return repr(value) if math.isfinite(value) else f"float('{value}')"
        if isinstance(value, torch.Size):
            return f"torch.Size({tuple(value)!r})"
        if type(value) is tuple:
            return "(" + "".join(self.of(item) + ", " for item in value) + ")"
        if type(value) is list:
            return "[" + ", ".join(map(self.of, value)) + "]"
        if type(value) is slice:
            return f"slice({self.of(value.start)}, {self.of(value.stop)}, {self.of(value.step)})"
        if isinstance(value, (torch.dtype, torch.layout, torch.memory_format)):
            return str(value)
        name = f"OBJECT{len(self.objects)}"
        self.objects[name] = value
        return name

    def call(self, args: Sequence[Any], kwargs: dict[str, Any]) -> str:
        """Source of an argument list, without the parentheses."""
        return ", ".join([*map(self.of, args), *(f"{name}={self.of(value)}" for name, value in kwargs.items())])

    def probe(self, key: str, body: str, **names: Any) -> Probe:
        """The probe around a body made of this object's sources."""
        tensors = list(self.tensors)
        return Probe(
            key,
            body,
            tuple(f"t{index}" for index in range(len(tensors))),
            lambda: tensors,
            names={**self.objects, **names},
        )


def _kind(value: Any) -> str:
    if isinstance(value, (list, tuple)):
        return "[" + (_kind(value[0]) if value else "") + "]"
    return type(value).__name__


def _samples(op: Any) -> list[Any]:
    """One sample a kind of argument list, preferring non-empty tensors of at least one dimension."""
    supported = op.supported_dtypes("cpu")
    wanted = (torch.float32, torch.int64, torch.bool, torch.complex64, torch.float64)
    dtype = next((dtype for dtype in wanted if dtype in supported), None) or sorted(supported, key=str)[0]
    torch.manual_seed(0)
    best: dict[Any, tuple[float, Any]] = {}
    for count, sample in enumerate(op.sample_inputs("cpu", dtype, requires_grad=False)):
        if count > _SAMPLES:
            break
        form = (
            _kind(sample.input),
            tuple(map(_kind, sample.args)),
            tuple(sorted((name, _kind(value)) for name, value in sample.kwargs.items())),
        )
        tensors = [
            leaf for leaf in tree_leaves((sample.input, sample.args, sample.kwargs)) if isinstance(leaf, torch.Tensor)
        ]
        merit = float(sum(tensor.dim() >= 1 and tensor.numel() > 0 for tensor in tensors))
        if isinstance(sample.input, torch.Tensor) and all(_fits(tensor, sample.input) for tensor in tensors):
            merit += 0.5
        if form not in best or merit > best[form][0]:
            best[form] = (merit, sample)
    return [sample for _, sample in best.values()][:FORMS]


def _fits(tensor: torch.Tensor, into: torch.Tensor) -> bool:
    """Whether the result of an in-place operation of the two can be of the size of `into`."""
    return bool(tensor.dim() <= into.dim() and tensor.numel() <= into.numel())


def _function(name: str, sample: Any) -> Probe:
    literals = Literals()
    return literals.probe(name, f"return {name}({literals.call([sample.input, *sample.args], sample.kwargs)})")


def _method(name: str, sample: Any) -> Probe:
    literals = Literals()
    literals.of(sample.input)
    return literals.probe(name, f"return t0.{name.rpartition('.')[2]}({literals.call(sample.args, sample.kwargs)})")


def _in_place(name: str, sample: Any) -> Probe:
    literals = Literals()
    literals.of(sample.input)
    call = f"t0.{name.rpartition('.')[2]}({literals.call(sample.args, sample.kwargs)})"
    return literals.probe(name, f"t0 = t0.clone()\n{call}\nreturn t0")


def _public_names() -> dict[int, list[str]]:
    """Every public spelling of each function, by identity."""
    names: dict[int, list[str]] = {}
    for prefix, namespace in _NAMESPACES:
        for name in dir(namespace):
            thing = getattr(namespace, name, None)
            if not name.startswith("_") and callable(thing) and not isinstance(thing, type):
                names.setdefault(id(thing), []).append(f"{prefix}.{name}")
    return names


def _exists(name: str) -> bool:
    thing: Any = torch
    for part in name.split(".")[1:]:
        thing = getattr(thing, part, None)
    return callable(thing)


def _spellings(op: Any, public: dict[int, list[str]]) -> list[tuple[str, Callable[[str, Any], Probe]]]:
    """The keys that one op of the database answers for, and how each is called."""
    names = [op.name, *(alias.name for alias in op.aliases)]
    functions = dict.fromkeys([*public.get(id(op.op), ()), *(f"torch.{name}" for name in names)])
    found: list[tuple[str, Callable[[str, Any], Probe]]] = [
        (name, _function) for name in functions if _exists(name) and not name.rpartition(".")[2].startswith("_")
    ]
    for name in names:
        if "." not in name and (name.startswith("__") or not name.startswith("_")):
            found += [(f"torch.Tensor.{name}", _method)] if hasattr(torch.Tensor, name) else []
            found += (
                [(f"torch.Tensor.{name}_", _in_place)]
                if not name.startswith("_") and hasattr(torch.Tensor, name + "_")
                else []
            )
    return found


def operator_probes() -> Iterator[Probe]:
    """Every op of torch's database under all its names: functions, methods, in-place methods."""
    _with_expecttest()
    from torch.testing._internal.common_methods_invocations import op_db

    public = _public_names()
    for op in op_db:
        # A sample generator may need a library or a device that is not here.
        with Fault() as fault:
            samples = _samples(op)
        if fault.error is not None:
            continue
        for name, make in _spellings(op, public):
            for sample in samples:
                if make is _function or isinstance(sample.input, torch.Tensor):
                    yield make(name, sample)


def layer_probes() -> Iterator[Probe]:
    """Every module class of torch's database, called in training and in evaluation mode."""
    _with_expecttest()
    from torch.testing._internal import common_modules

    infos: list[Any] = common_modules.module_db
    for info in infos:
        name = info.module_cls.__name__
        if info.module_cls not in vars(torch.nn).values():
            continue
        for training in (True, False):
            made = 0
            for sample in info.module_inputs_func(
                info, device="cpu", dtype=torch.float32, requires_grad=False, training=training
            ):
                if sample.forward_input is None or made == FORMS:
                    continue
                made += 1
                torch.manual_seed(0)
                try:
                    module = info.module_cls(*sample.constructor_input.args, **sample.constructor_input.kwargs).train(
                        training
                    )
                except (TypeError, ValueError, RuntimeError):
                    continue
                literals = Literals()
                call = literals.call(sample.forward_input.args, sample.forward_input.kwargs)
                yield literals.probe(f"layer:torch.nn.{name}", f"return m({call})", m=module)
