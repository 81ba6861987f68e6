"""What a call gave apart from its numbers: classes, strides, what has gradients, and what shares memory.

Two eager runs must agree in all of it. Compiled runs are not held against it: compilers choose strides. Also the
interface of a target: the names in its `state_dict`, and what other code can call. Does not belong here: values
(`snapshot`).
"""

from __future__ import annotations

import inspect
import io
import pickle
import sys
import types
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import torch

from compilelint.dynamic.worker.calling import copied
from compilelint.dynamic.worker.elsewhere import Elsewhere
from compilelint.dynamic.worker.faults import hands_over
from compilelint.dynamic.worker.installed import is_installed
from compilelint.dynamic.worker.snapshot import OF_MODULE, held_by, inside, is_users

Form = dict[str, str]
REPLACED = "another tensor"
"""What the form of a call says of a tensor of the model that was put in the place of another."""

_DEEPEST = 6
_MOST = 400  # values of one result that are looked at
_PLAIN = (bool, int, float, str, bytes, type(None))
_CONTAINERS = (list, dict, set, deque)
_WRITABLE = (torch.Tensor, *_CONTAINERS)
_NOT_READ = frozenset({"torch", *sys.stdlib_module_names})


class Before:
    """The tensors that a model holds, and what the call before gave, as they are before a call."""

    def __init__(self, function: Any, last: Sequence[tuple[str, torch.Tensor]]) -> None:
        self._held = {name: (one, _version(one)) for name, one in _held(function)}
        self._last = [(name, one, one.detach().clone()) for name, one in last if _is_usual(one)]

    def form(self, function: Any, result: Any, args: Any, named: Any) -> Form:
        """The form of what a call gave, and how it treats what was there before it."""
        found: Form = {}
        held = dict(_held(function))
        outputs = list(_walked(result, "output"))
        owners = [*held.items(), *_walked([*args], "input"), *_walked(dict(named), "input"), *outputs]
        sharing = _sharing(owners)
        same = _by_object([*owners, *_kept(function)])
        for name, one in outputs:
            if not isinstance(one, _PLAIN):
                found[f"the class of {name}"] = f"{type(one).__module__}.{type(one).__qualname__}"
            if others := sorted({*same.get(id(one), ())} - {name}):
                found[f"which object {name} is"] = ", ".join(others)
            if isinstance(one, torch.Tensor):
                found |= _form_of_tensor(name, one)
                if shared := sharing.get(_memory(one), ()):
                    found[f"what shares memory with {name}"] = ", ".join(sorted({*shared} - {name})) or "nothing"
        for name, one in held.items():
            before, version = self._held.get(name, (None, 0))
            if before is not one:
                found[name] = REPLACED
            elif version != _version(one):
                found[name] = "the same tensor, written"
        for name, one, kept in self._last:
            if not torch.equal(one.detach().nan_to_num(), kept.nan_to_num()):
                found[f"{name} of the call before"] = "changed by the next call"
        return found


def results_in(result: Any) -> list[tuple[str, torch.Tensor]]:
    """The tensors of a result, with their names."""
    return [(name, one) for name, one in _walked(result, "output") if isinstance(one, torch.Tensor)]


def _walked(value: Any, name: str, depth: int = 0) -> Iterator[tuple[str, Any]]:
    yield name, value
    if depth < _DEEPEST:
        for number, (key, one) in enumerate(inside(value)):
            if number > _MOST:
                return
            yield from _walked(one, name + key, depth + 1)


def _form_of_tensor(name: str, one: torch.Tensor) -> Form:
    found = {f"whether {name} requires a gradient": str(one.requires_grad)}
    if one.layout is torch.strided and one.numel():
        strides = [stride for stride, size in zip(one.stride(), one.shape, strict=True) if size > 1]
        found[f"the strides of {name}"] = str(strides)
    return found


def _held(function: Any) -> Iterator[tuple[str, torch.Tensor]]:
    """Parameters, buffers and other tensors of a model, by name."""
    if isinstance(function, torch.nn.Module):
        for path, module in function.named_modules():
            for kept in (module._parameters, module._buffers, vars(module)):
                for key, one in kept.items():
                    if isinstance(one, torch.Tensor):
                        yield f"self.{path}.{key}" if path else f"self.{key}", one


def _sharing(owners: Sequence[tuple[str, Any]]) -> dict[int, list[str]]:
    found: dict[int, list[str]] = {}
    for name, one in owners:
        if isinstance(one, torch.Tensor) and (memory := _memory(one)):
            found.setdefault(memory, []).append(name)
    return found


def _by_object(owners: Sequence[tuple[str, Any]]) -> dict[int, list[str]]:
    """The names of each object that can be written: who writes the one name writes the others."""
    found: dict[int, list[str]] = {}
    for name, one in owners:
        if isinstance(one, _WRITABLE) or is_users(one):
            found.setdefault(id(one), []).append(name)
    return found


def _kept(function: Any) -> Iterator[tuple[str, Any]]:
    """Containers and objects among the attributes of a model and the globals of its code, and what they hold."""
    if isinstance(function, torch.nn.Module):
        modules = dict(function.named_modules())
        for path, module in modules.items():
            for key, one in vars(module).items():
                if key not in OF_MODULE and isinstance(one, _CONTAINERS):
                    yield from _walked(one, f"self.{path}.{key}" if path else f"self.{key}", _DEEPEST - 1)
        homes = {type(one).__module__ for one in modules.values()}
    else:
        yield from (("what the function holds", one) for one in held_by(function))
        homes = {getattr(function, "__module__", "") or ""}
    for home in sorted(_read_homes(homes)):
        for key, one in list(vars(sys.modules[home]).items()):
            if isinstance(one, _CONTAINERS) and not key.startswith("__"):
                yield from _walked(one, f"global {key}", _DEEPEST - 1)


def _read_homes(homes: set[str]) -> set[str]:
    """Those of the modules whose code may be the user's."""
    return {one for one in homes if one in sys.modules and one.partition(".")[0] not in _NOT_READ}


def _is_usual(one: torch.Tensor) -> bool:
    return one.layout is torch.strided and not isinstance(one, Elsewhere) and one.device.type != "meta"


@hands_over
def _memory(one: torch.Tensor) -> int:
    """Where the numbers lie; 0 for none, and where that is unknown."""
    if not _is_usual(one) or not one.numel() or type(one) not in (torch.Tensor, torch.nn.Parameter, torch.nn.Buffer):
        return 0
    return int(one.untyped_storage().data_ptr())


def _version(one: torch.Tensor) -> int:
    return -1 if one.is_inference() else one._version


# ------------------------------------------------------------------- interface


Parameter = tuple[str, str, str]
Interface = dict[str, Any]


def interface_of(function: Any) -> Interface:
    """What other code relies on: names in `state_dict`, trained parameters, signatures of what has a public name."""
    found: Interface = {"": _signature(function.forward if isinstance(function, torch.nn.Module) else function)}
    homes = {getattr(function, "__module__", "") or ""}
    if isinstance(function, torch.nn.Module):
        found["state_dict"] = sorted(function.state_dict())
        found["trained"] = sorted(name for name, one in function.named_parameters() if one.requires_grad)
        homes = {type(one).__module__ for one in function.modules()}
        found["copied"] = ["deep copies"] * (copied(function) is not None) + ["pickles"] * _pickles(function)
    for home in sorted(_read_homes(homes)):
        module = sys.modules[home]
        for key, value in list(vars(module).items()):
            if not key.startswith("_") and not is_installed(vars(module), key):
                found |= _public(f"{home}.{key}", value, home)
    return found


class _Nowhere(io.RawIOBase):
    """A file that forgets what is written."""

    def write(self, data: Any) -> int:
        return len(memoryview(data).cast("B"))


def _pickles(model: torch.nn.Module) -> bool:
    """Whether a model can be sent to another process, as some launchers do."""
    try:
        pickle.Pickler(_Nowhere(), protocol=pickle.HIGHEST_PROTOCOL).dump(model)
    except Exception:  # noqa: BLE001 - `__getstate__` and `__reduce__` of the user's classes may raise anything
        return False
    return True


def _public(name: str, value: Any, home: str) -> Interface:
    if getattr(value, "__module__", None) != home:
        return {}
    if isinstance(value, types.FunctionType):
        return {name: _signature(value)}
    if not isinstance(value, type):
        return {}
    own = {key: one for key, one in vars(value).items() if not key.startswith("_") or key == "__init__"}
    functions = {key: one for key, one in own.items() if isinstance(one, types.FunctionType)}
    return {name: [], **{f"{name}.{key}": _signature(one) for key, one in functions.items()}}


def _signature(function: Any) -> list[Parameter]:
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return []
    return [(one.name, one.kind.name, "" if one.default is one.empty else _default(one.default)) for one in parameters]


def _default(value: Any) -> str:
    return repr(value) if isinstance(value, _PLAIN) else type(value).__name__


def lost(wanted: Mapping[str, Any], got: Mapping[str, Any]) -> tuple[str, str] | None:
    """What of an interface is gone, and how; None where all that could be called still can be."""
    for key, word in (("state_dict", "the names in `state_dict`"), ("trained", "the parameters that are trained")):
        if wanted.get(key) != got.get(key):
            apart = sorted({*wanted.get(key, ())} ^ {*got.get(key, ())})
            return word, f"`{apart[0]}` in one alone" if apart else "in another order"
    if gone := [way for way in wanted.get("copied", ()) if way not in got.get("copied", ())]:
        return "what can be made of the model", f"no {gone[0]} any more"
    for name, parameters in wanted.items():
        if name in ("state_dict", "trained", "copied"):
            continue
        shown = f"`{name}`" if name else "the target"
        if name not in got:
            return f"what can be called: {shown}", "it is gone"
        if not _takes(parameters, got[name]):
            return f"the parameters of {shown}", f"({_shown(parameters)}) became ({_shown(got[name])})"
    return None


def _takes(wanted: Sequence[Parameter], got: Sequence[Parameter]) -> bool:
    """Whether a function can be called as before: new parameters have defaults, and stand behind the others."""
    if "KEYWORD_ONLY" not in {kind for _, kind, _ in got}:
        more = got[len(wanted) :]
        return list(map(tuple, wanted)) == list(map(tuple, got[: len(wanted)])) and all(one[2] for one in more)
    by_place = [[tuple(one) for one in some if one[1] != "KEYWORD_ONLY"] for some in (wanted, got)]
    by_name = [{tuple(one) for one in some if one[1] == "KEYWORD_ONLY"} for some in (wanted, got)]
    return by_place[0] == by_place[1] and by_name[0] <= by_name[1] and all(one[2] for one in by_name[1] - by_name[0])


def _shown(parameters: Sequence[Parameter]) -> str:
    return ", ".join(f"{name}={default}" if default else name for name, _, default in parameters)[:80]
