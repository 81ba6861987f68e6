"""What a run left behind, flat: results, gradients and state by name, as tensors or as plain text; and how two differ.

Names read like the code that reaches them: `output['loss']`, `gradient of encoder.weight`, `self.layers.0.step`.
"""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import hashlib
import itertools
import logging
import queue
import re
import sys
import types
from collections import deque
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import torch

from compilelint.dynamic.worker.elsewhere import Elsewhere
from compilelint.dynamic.worker.faults import hands_over
from compilelint.dynamic.worker.installed import is_installed

Snapshot = dict[str, Any]

_DEEPEST = 6
_MOST_ENTRIES = 4000
_MOST_GLOBALS = 300
_MOST_TEXT = 300
_PLAIN = (bool, int, str, bytes, type(None), torch.dtype, torch.device, torch.Size)
# What torch itself keeps in a module, and what `torch.compile` writes there.
OF_MODULE = frozenset({*vars(torch.nn.Module()), "_is_torch_compile", "_compiled_call_impl"}) - {"training"}
"""The attributes that are not the user's."""
_ADDRESS = re.compile(r" at 0x[0-9a-f]+")

_FUNCTIONS = (types.FunctionType, types.MethodType, functools.partial)

# Modules of the standard library whose objects hold what is put there.
_HOLDING = frozenset(
    "array collections _collections contextvars io _io itertools queue _queue random _random threading types".split()
)

# (relative, absolute) by dtype; those of `torch.testing` for the same operations in the same order.
_TOLERANCES = {
    torch.float16: (1e-3, 1e-5),
    torch.bfloat16: (1.6e-2, 1e-5),
    torch.float32: (1.3e-6, 1e-5),
    torch.float64: (1e-7, 1e-7),
    torch.complex64: (1.3e-6, 1e-5),
    torch.complex128: (1e-7, 1e-7),
}
# What two eager runs may differ by where they compute in double: far less than what passed through a single loses.
_NARROW = 1e-10
# Backends that fuse and reorder may round otherwise at every step, and a model has many.
_REORDERED = 100.0


def flat(value: Any, name: str, into: Snapshot, depth: int = 0) -> None:
    """Put `value` and what it holds into a snapshot; objects are entered through their attributes."""
    if len(into) >= _MOST_ENTRIES:
        return
    if isinstance(value, torch.Tensor):
        if isinstance(value, Elsewhere):
            into[f"the device of {name}"] = str(value.device)
        into[name] = _copied(value)
    elif isinstance(value, torch.Generator):
        into[name] = hashlib.sha256(bytes(value.get_state().tolist())).hexdigest()[:16]
    elif isinstance(value, float):
        into[name] = value
    elif isinstance(value, _PLAIN):
        into[name] = repr(value)
    elif depth >= _DEEPEST or isinstance(value, (type, types.ModuleType, torch.nn.Module, *_FUNCTIONS)):
        into[name] = f"<{type(value).__name__}>"
    elif isinstance(value, Mapping):
        into[f"the keys of {name}"] = repr([_key_text(key) for key in value])
        for key, one in value.items():
            flat(one, f"{name}[{_key_text(key)}]", into, depth + 1)
    elif isinstance(value, (list, tuple, deque)):
        into[f"len({name})"] = repr(len(value))
        for place, one in enumerate(value):
            flat(one, f"{name}[{place}]", into, depth + 1)
    elif isinstance(value, (set, frozenset)):
        into[name] = repr(sorted(_key_text(one) for one in value))
    elif _is_array(value):
        into[name] = repr(value.tolist())
    elif dataclasses.is_dataclass(value) or is_users(value):
        for key, one in sorted(_attributes(value).items()):
            flat(one, f"{name}.{key}", into, depth + 1)
    else:
        flat(_content(value), name, into, depth)


def inside(value: Any) -> Iterator[tuple[str, Any]]:
    """What a container or an object of the user's holds, with how each is reached."""
    if isinstance(value, Mapping):
        yield from ((f"[{_key_text(key)}]", one) for key, one in value.items())
    elif isinstance(value, (list, tuple, deque)):
        yield from ((f"[{place}]", one) for place, one in enumerate(value))
    elif not isinstance(value, (torch.nn.Module, type, types.ModuleType)) and (
        dataclasses.is_dataclass(value) or is_users(value)
    ):
        yield from ((f".{key}", one) for key, one in sorted(_attributes(value).items()))


def _content(value: Any) -> Any:
    """What an object of the standard library holds, as far as it can be copied or read without using it up."""
    if isinstance(value, queue.SimpleQueue):
        held = [value.get_nowait() for _ in range(value.qsize())]
        for one in held:
            value.put(one)
        return held
    if type(value).__module__.partition(".")[0] not in sys.stdlib_module_names or callable(value):
        return f"<{type(value).__name__}>"
    kept: Any = None
    with contextlib.suppress(Exception):  # what cannot be copied says so in many ways
        kept = value.__reduce_ex__(2)[1:3]
    kept = kept or {key: one for key, one in _attributes(value).items() if isinstance(one, (*_PLAIN, float, deque))}
    text = _ADDRESS.sub("", repr(kept))
    return text if len(text) < _MOST_TEXT else hashlib.sha256(text.encode()).hexdigest()[:16]


@hands_over
def _copied(value: torch.Tensor) -> Any:
    """The tensor's data as it is now; what has none of the usual layout is put into words."""
    if isinstance(value, Elsewhere):
        value = value.held
    found = value.detach()
    if found.layout is not torch.strided:
        found = found.to_dense() if found.layout is not torch.jagged else torch.cat([*found.unbind()], 0)
    if type(found) not in (torch.Tensor, torch.nn.Parameter, torch.nn.Buffer):
        return f"<{type(value).__name__} of {tuple(value.shape)}>"
    return found.clone().cpu()


def _key_text(key: Any) -> str:
    return _ADDRESS.sub("", repr(key))[:80] if isinstance(key, (*_PLAIN, float, tuple)) else f"<{type(key).__name__}>"


def _is_array(value: Any) -> bool:
    numpy = sys.modules.get("numpy")
    return numpy is not None and isinstance(value, (numpy.ndarray, numpy.generic))


def is_users(value: Any) -> bool:
    """An object of a plain class outside the standard library and torch, which keeps its state in attributes."""
    home = type(value).__module__.partition(".")[0]
    return home not in sys.stdlib_module_names and home != "torch" and bool(_attributes(value))


def _attributes(value: Any) -> dict[str, Any]:
    return dict(getattr(value, "__dict__", None) or {})


def state_of(function: Any) -> Snapshot:
    """Parameters, buffers, attributes and class attributes of a module; globals of the code in either case.

    Of a function, what it closes over, is bound to and was given beforehand: a target may be made by a factory.
    """
    into: Snapshot = {}
    homes: dict[str, None] = {}
    if isinstance(function, torch.nn.Module):
        for name, module in function.named_modules():
            _module_state(module, f"self.{name}" if name else "self", into)
            homes[type(module).__module__] = None
    else:
        homes[getattr(function, "__module__", None) or ""] = None
        _held_state(function, "", into, set())
    for home in homes:
        _global_state(home, into)
    return into


def _held_state(function: Any, name: str, into: Snapshot, met: set[int]) -> None:
    """What a function holds on to, and the functions among that."""
    if id(function) in met or len(met) > _MOST_GLOBALS:
        return
    met.add(id(function))
    for key, value in _holds(function):
        path = f"{name}.{key}" if name else key
        if isinstance(value, torch.nn.Module):
            for inner, module in value.named_modules():
                _module_state(module, f"{path}.{inner}" if inner else path, into)
        elif isinstance(value, _FUNCTIONS) or (callable(value) and is_users(value) and not isinstance(value, type)):
            _held_state(value, path, into, met)
        elif not isinstance(value, (type, types.ModuleType, types.BuiltinFunctionType)):
            flat(value, path, into)


def held_by(function: Any) -> Iterator[Any]:
    """The objects and containers that a function holds on to, and the functions among that; no models."""
    met: set[int] = set()
    pending = [function]
    while pending and len(met) <= _MOST_GLOBALS:
        one = pending.pop()
        if id(one) in met:
            continue
        met.add(id(one))
        for _, value in _holds(one):
            if isinstance(value, _FUNCTIONS):
                pending.append(value)
            elif not isinstance(value, (type, types.ModuleType, types.BuiltinFunctionType, torch.nn.Module)):
                yield value


def _holds(function: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(function, functools.partial):
        yield "func", function.func
        yield from ((f"args[{place}]", one) for place, one in enumerate(function.args))
        yield from function.keywords.items()
    elif isinstance(function, types.MethodType):
        yield "self", function.__self__
    elif isinstance(function, types.FunctionType):
        for key, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
            with contextlib.suppress(ValueError):  # nothing was put there yet
                yield key, cell.cell_contents
    else:
        yield from _attributes(function).items()


def _module_state(module: torch.nn.Module, name: str, into: Snapshot) -> None:
    for key, tensor in [*module.named_parameters(recurse=False), *module.named_buffers(recurse=False)]:
        flat(tensor, f"{name}.{key}", into)
    for key, value in vars(module).items():
        if key not in OF_MODULE and not isinstance(value, (type, *_FUNCTIONS, torch.nn.Module)):
            flat(value, f"{name}.{key}", into, 1)
    for kind in type(module).__mro__:
        if kind.__module__.partition(".")[0] in ("torch", "builtins"):
            continue
        for key, value in vars(kind).items():
            if not key.startswith("__") and (isinstance(value, str) or _may_change(value)):
                flat(value, f"{kind.__name__}.{key}", into, _DEEPEST - 2)


def _may_change(value: Any) -> bool:
    """Whether what a class or a module holds may be counted, filled or replaced: no code, no model, no logger."""
    if isinstance(value, (int, float, list, dict, set, deque, torch.Tensor)):
        return True
    if isinstance(value, (type, types.ModuleType, types.BuiltinFunctionType, torch.nn.Module, logging.Logger, str)):
        return False
    home = type(value).__module__.partition(".")[0]
    return is_users(value) or (home in _HOLDING and not isinstance(value, _FUNCTIONS))


def _global_state(home: str, into: Snapshot) -> None:
    module = sys.modules.get(home)
    if module is None or home.partition(".")[0] in ("torch", *sys.stdlib_module_names):
        return
    found: Snapshot = {}
    for key, value in list(vars(module).items()):
        if len(found) > _MOST_GLOBALS:
            break
        if key.startswith("__") or is_installed(vars(module), key):
            continue
        if _may_change(value):
            flat(value, f"global {key}", found, _DEEPEST - 2)
    into.update(found)


class Pair(NamedTuple):
    """What two runs have under one name: `text` says what differs however much is allowed; without it, there are two
    tensors of one dtype and shape to be held against what `dtype` allows.
    """

    name: str
    text: str
    first: Any = None
    second: Any = None
    dtype: Any = None


def pairs(eager: Snapshot, compiled: Snapshot) -> Iterator[Pair]:
    """Name by name what differs and what is to be measured; what is plainly equal is left out."""
    for name in dict.fromkeys([*eager, *compiled]):
        if name not in compiled:
            yield Pair(name, f"eager has it ({_short(eager[name])}), compiled has not")
        elif name not in eager:
            yield Pair(name, f"compiled has it ({_short(compiled[name])}), eager has not")
        else:
            yield from _pair(name, eager[name], compiled[name])


def _pair(name: str, first: Any, second: Any) -> Iterator[Pair]:
    if isinstance(first, float) and isinstance(second, float):
        one, other = torch.tensor(first, dtype=torch.float64), torch.tensor(second, dtype=torch.float64)
        yield Pair(name, "", one, other, torch.float32)  # computed from tensors, most likely of this dtype
    elif not (isinstance(first, torch.Tensor) and isinstance(second, torch.Tensor)):
        if type(first) is not type(second) or first != second:
            yield Pair(name, f"eager {_short(first)}, compiled {_short(second)}")
    elif first.dtype is not second.dtype:
        yield Pair(name, f"dtype {first.dtype} in eager, {second.dtype} compiled")
    elif first.shape != second.shape:
        yield Pair(name, f"shape {tuple(first.shape)} in eager, {tuple(second.shape)} compiled")
    else:
        yield Pair(name, "", first, second, first.dtype)


def alike(first: Any, second: Any) -> bool:
    """Whether two values of snapshots are the same number by number."""
    return all(
        not pair.text and torch.equal(pair.first.nan_to_num(), pair.second.nan_to_num())
        for pair in _pair("", first, second)
    )


def first_differences(
    eager: Snapshot, compiled: Snapshot, reordered: bool, most: int = 3, narrow: bool = False
) -> Iterator[tuple[str, str]]:
    """Yield the first few names in which two snapshots differ, and how; `reordered` allows for another rounding.

    `narrow` allows for less in double precision.
    """
    found = ((pair.name, pair.text or _too_far(pair, reordered, narrow)) for pair in pairs(eager, compiled))
    yield from itertools.islice((one for one in found if one[1]), most)


def _too_far(pair: Pair, reordered: bool, narrow: bool) -> str:
    pair = _without_overflow(pair)
    first, second = pair.first, pair.second
    if not reordered and (words := _nan_apart(first, second)):
        return words
    if _close(first, second, pair.dtype, reordered, narrow):
        return ""
    if first.numel() == 1:
        return f"eager {first.item()!r}, compiled {second.item()!r}"
    wide = torch.complex128 if first.is_complex() else torch.float64
    apart = (first.to(wide) - second.to(wide)).abs()
    unlike = int((apart.nan_to_num(float("inf")) > 0).sum())
    worst = apart.nan_to_num(float("inf")).max().item()
    return f"{unlike} of {first.numel()} elements differ, by up to {worst:.3g}"


def _nan_apart(first: torch.Tensor, second: torch.Tensor) -> str:
    """How NaN differs: it stands elsewhere.

    Sign and payload of a NaN say nothing: torch's own `a + b` and `b + a` give others, and so do a vector loop and
    its scalar tail.
    """
    if not (first.is_floating_point() or first.is_complex()):
        return ""
    if first.is_complex():
        first, second = torch.view_as_real(first.resolve_conj()), torch.view_as_real(second.resolve_conj())
    one, other = first.isnan(), second.isnan()
    if torch.equal(one, other):
        return ""
    return f"NaN in {int(one.sum())} of {first.numel()} places in eager, in {int(other.sum())} compiled, not the same"


def _without_overflow(pair: Pair) -> Pair:
    """A gradient where what is finite in neither run is left out.

    Which of NaN and the two infinities comes of terms that overflow depends on the order in which they are summed, and
    no optimizer makes use of any. What is finite in one run alone stays, and differs.
    """
    if not pair.name.startswith("gradient of ") or not (pair.dtype.is_floating_point or pair.dtype.is_complex):
        return pair
    gone = ~(pair.first.isfinite() | pair.second.isfinite())
    if not bool(gone.any()):
        return pair
    return pair._replace(first=pair.first.masked_fill(gone, 0), second=pair.second.masked_fill(gone, 0))


def by_chance(name: str) -> str:
    """What is said where eager does not agree with itself."""
    return f"eager itself is not deterministic: {name} differs between runs from the same seed"


def _close(first: torch.Tensor, second: torch.Tensor, dtype: torch.dtype, reordered: bool, narrow: bool) -> bool:
    if dtype not in _TOLERANCES:
        return bool(torch.equal(first, second))
    relative, absolute = _TOLERANCES[dtype]
    if narrow and dtype in (torch.float64, torch.complex128):
        relative = absolute = _NARROW
    factor = _REORDERED if reordered else 1.0
    return bool(torch.allclose(first, second, rtol=relative * factor, atol=absolute * factor, equal_nan=True))


def _short(value: Any) -> str:
    return f"a tensor of {tuple(value.shape)}" if isinstance(value, torch.Tensor) else str(value)[:120]
