"""The arguments of each call: as asked for, from hooks on the model, from adapters, or guessed from the first layer.

Every call gets tensors of its own, so that a model which writes its inputs does not change the next call.
`NoInputsError` says that nothing fits, with a snippet to paste.
"""

from __future__ import annotations

import copy
import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import torch

from compilelint.dynamic.targets import Input, InputSet, Target, varied
from compilelint.dynamic.worker.adapters import example
from compilelint.dynamic.worker.fitting import fitted
from compilelint.dynamic.worker.loading import Loaded, find
from compilelint.dynamic.worker.seeding import seed_torch

HOOKS = ("example_inputs", "get_dummy_inputs", "example_input_array", "dummy_inputs")
_DTYPES = {"half": "float16", "double": "float64", "int": "int32", "long": "int64", "float": "float32"}
FITTED = "a guess, fitted to what the model raised"
_GUESSED_BATCH = 2
# Lengths of signals, sides of images and of volumes that models are made for; small ones first, they cost least.
_SIZES = {1: (64, 1024, 16000), 2: (64, 224, 32, 28, 256), 3: (16, 32, 64)}

Call = tuple[tuple[Any, ...], dict[str, Any]]


class NoInputsError(Exception):
    """No way to call the model is known; the text holds what to write."""


@dataclass
class Calls:
    """The arguments of every call in order, and where they came from, in words."""

    calls: list[Call]
    source: str


def calls_for(target: Target, loaded: Loaded, seed: int, repeats: int, device: str) -> Calls:
    """The calls of a run: each input set `repeats` times. Raises NoInputsError."""
    source, made = _makers(target, loaded)
    calls = [call for make in made for _ in range(repeats) for call in _drawn(make, seed)]
    for args, named in calls:
        _check(loaded.function, args, named)
    return Calls([_moved(one, device) for one in calls], source)


def sets_for(target: Target, loaded: Loaded, seed: int, device: str) -> tuple[str, list[list[Call]]]:
    """Where the inputs came from, and the calls of each input set by themselves. Raises NoInputsError."""
    source, made = _makers(target, loaded)
    sets = [_drawn(make, seed) for make in made]
    for args, named in (call for calls in sets for call in calls):
        _check(loaded.function, args, named)
    return source, [[_moved(one, device) for one in calls] for calls in sets]


def _drawn(make: Callable[[], list[Call]], seed: int) -> list[Call]:
    seed_torch(seed)
    return make()


def _makers(target: Target, loaded: Loaded) -> tuple[str, list[Callable[[], list[Call]]]]:
    """Where the inputs come from, in words, and what makes the calls of each input set."""
    function = loaded.function
    made: list[Callable[[], list[Call]]]
    if target.inputs:
        sets = [*target.inputs]
        if len(sets) == 1 and target.dynamic_dims and not sets[0].function:
            sets.append(varied(sets[0], target.dynamic_dims))
        source, made = "as asked for", [partial(_made, one, function) for one in sets]
    else:
        source, first = _found(loaded)
        made = [partial(copy.deepcopy, [one]) for one in first]
        if target.dynamic_dims:
            made.append(partial(_varied_calls, first[0], target))
    return source, made


def described(call: Call) -> list[str]:
    """A call's arguments in the way they would be written."""
    args, named = call
    return [*map(_description, args), *(f"{name}={_description(value)}" for name, value in named.items())]


def kind_of(call: Call) -> str:
    """What Dynamo guards of a call, in a text that is the same for calls which differ in nothing but their numbers."""
    args, named = call
    return ", ".join([*map(_kind, args), *(f"{name}={_kind(value)}" for name, value in named.items())])


def _kind(value: Any) -> str:
    if isinstance(value, torch.Tensor):
        layout = value.stride() if value.layout is torch.strided else value.layout
        return f"{value.dtype} {tuple(value.shape)} {layout} {value.requires_grad}"
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(_kind, value))}]"
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{key}: {_kind(one)}" for key, one in value.items()) + "}"
    return repr(value)[:80] if isinstance(value, (bool, int, float, str, type(None))) else type(value).__name__


def _description(value: Any) -> str:
    if isinstance(value, torch.Tensor):
        shape = "x".join(map(str, value.shape)) or "scalar"
        return f"{shape}:{str(value.dtype).removeprefix('torch.')}"
    if isinstance(value, (list, tuple)) and len(value) <= 8:
        return f"[{', '.join(map(_description, value))}]"
    if isinstance(value, Mapping) and len(value) <= 8:
        return "{" + ", ".join(f"{key}: {_description(one)}" for key, one in value.items()) + "}"
    return repr(value)[:80]


# ------------------------------------------------------------------- asked for


def _made(inputs: InputSet, function: Any) -> list[Call]:
    if inputs.function:
        return list(_as_calls(find(inputs.function)(), function))
    high = _vocabulary(function)
    args = tuple(_value(one, high) for one in inputs.inputs if not one.name)
    return [(args, {one.name: _value(one, high) for one in inputs.inputs if one.name})]


def _value(one: Input, high: int) -> Any:
    """A Python value, or a random tensor: whole numbers from [0, high), masks of whole numbers all ones."""
    if one.shape is None:
        return one.value
    dtype: torch.dtype = getattr(torch, _DTYPES.get(one.dtype, one.dtype))
    if dtype is torch.bool:
        return torch.rand(one.shape) < 0.5
    if dtype.is_floating_point or dtype.is_complex:
        return torch.randn(one.shape).to(dtype) if not dtype.is_complex else torch.randn(one.shape, dtype=dtype)
    if one.high is None and "mask" in one.name:
        return torch.ones(one.shape, dtype=dtype)
    return torch.randint(0, max(one.high or high, 1), one.shape).to(dtype)


def _vocabulary(function: Any) -> int:
    """Whole numbers below this fit every embedding of the model."""
    modules = function.modules() if isinstance(function, torch.nn.Module) else ()
    sizes = [one.num_embeddings for one in modules if isinstance(one, torch.nn.Embedding)]
    return min(sizes, default=8)


def _as_calls(made: Any, function: Any) -> Iterator[Call]:
    """One call or several from what a factory, function or hook of the user gave.

    That is a tensor, a tuple, a dict, the arguments and named arguments of a call, or a list of such calls.
    """
    calls = [made] if _is_call(made) and _binds(function, *made) else made
    if isinstance(calls, (list, tuple)) and calls and all(_is_call(one) for one in calls):
        yield from ((tuple(args), dict(named)) for args, named in calls)
    elif isinstance(made, Mapping):
        yield (), dict(made)
    elif isinstance(made, (tuple, list)) and not (_binds(function, (made,), {}) and not _binds(function, made, {})):
        yield ((), dict(made[0])) if len(made) == 1 and isinstance(made[0], Mapping) else (tuple(made), {})
    else:
        yield (made,), {}


def _is_call(one: Any) -> bool:
    return isinstance(one, tuple) and len(one) == 2 and isinstance(one[0], (tuple, list)) and isinstance(one[1], dict)


# --------------------------------------------------------------------- found


def _found(loaded: Loaded) -> tuple[str, list[Call]]:
    """Calls that were not asked for: from the factory, a hook, an adapter, or the first layer."""
    function = loaded.function
    given = [] if loaded.given is None else [*_as_calls(loaded.given, function)]
    if given:
        return "the factory", given
    for name in HOOKS:
        hook = getattr(function, name, None)
        if hook is None:
            continue
        made = hook() if callable(hook) else hook
        calls = [one for one in _as_calls(made, function) if _binds(function, *one)] if made is not None else []
        if calls:
            return f"`{name}` of the model", calls
    known = example(function)
    if known is not None:
        args = (known[""],) if "" in known else ()
        return "the example input of its library", [(args, {name: value for name, value in known.items() if name})]
    guesses = [one for one in _guesses(function) if _binds(function, (one,), {})]
    guess = next((one for one in guesses if _runs(function, one)), None)
    if guess is not None:
        return "a guess from the first layer", [((guess,), {})]
    if isinstance(function, torch.nn.Module) and (names := _required(function.forward)):
        made = fitted(function, names, _vocabulary(function))
        if made is not None:
            return FITTED, [((), dict(zip(names, made, strict=True)))]
    if guesses:
        return "a guess from the first layer", [((guesses[0],), {})]
    if _binds(function, (), {}):
        return "no arguments", [((), {})]
    raise NoInputsError(_snippet(function))


def _guesses(function: Any) -> Iterator[torch.Tensor]:
    """What the first layer may take, the usual first; functions of several required inputs get no guess."""
    if not isinstance(function, torch.nn.Module) or len(_required(function.forward)) != 1:
        return
    for layer in function.modules():
        if isinstance(layer, torch.nn.Embedding):
            yield torch.randint(0, layer.num_embeddings, (_GUESSED_BATCH, 8))
        elif isinstance(layer, torch.nn.Linear):
            yield torch.randn(_GUESSED_BATCH, layer.in_features)
            yield torch.randn(_GUESSED_BATCH, 8, layer.in_features)
            for channels, size in ((1, 28), (3, 32), (1, 32), (3, 64)):  # an image that is flattened first
                if channels * size * size == layer.in_features:
                    yield torch.randn(_GUESSED_BATCH, channels, size, size)
        elif isinstance(layer, (torch.nn.Conv1d, torch.nn.Conv2d, torch.nn.Conv3d)):
            for size in _SIZES[len(layer.kernel_size)]:
                yield torch.randn(_GUESSED_BATCH, layer.in_channels, *(size,) * len(layer.kernel_size))
        elif isinstance(layer, (torch.nn.ConvTranspose1d, torch.nn.ConvTranspose2d, torch.nn.ConvTranspose3d)):
            for size in (1, 8):  # a vector of noise, or an image to enlarge
                yield torch.randn(_GUESSED_BATCH, layer.in_channels, *(size,) * len(layer.kernel_size))
        elif isinstance(layer, torch.nn.TransformerEncoderLayer):
            yield torch.randn(_GUESSED_BATCH, 8, layer.linear1.in_features)
        elif isinstance(layer, (torch.nn.LSTM, torch.nn.GRU, torch.nn.RNN)):
            yield torch.randn(_GUESSED_BATCH, 8, layer.input_size)
        else:
            continue
        return


def _runs(function: Any, guess: torch.Tensor) -> bool:
    """Whether a copy of the model takes it. The first that it takes is meant: others fail at its later layers."""
    try:
        with torch.no_grad():
            copy.deepcopy(function).eval()(guess.clone())
    except Exception:  # noqa: BLE001 - whatever code of the user raises, it does not take this input
        return False
    return True


def _required(function: Callable[..., Any]) -> list[str]:
    parameters = inspect.signature(function).parameters.values()
    variadic = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    return [one.name for one in parameters if one.default is one.empty and one.kind not in variadic]


def _snippet(function: Any) -> str:
    called = function.forward if isinstance(function, torch.nn.Module) else function
    names = _required(called)
    table = ", ".join(f'{name} = "2x3"' for name in names)
    options = " ".join(f"--input {name}=2x3" for name in names)
    return f"its inputs are unknown; write inputs = {{ {table} }} in its table, or {options}"


# ------------------------------------------------------------------- checking


def _signature(function: Any) -> inspect.Signature | None:
    try:
        return inspect.signature(function.forward if isinstance(function, torch.nn.Module) else function)
    except (ValueError, TypeError):
        return None


def _binds(function: Any, args: Iterable[Any], named: Mapping[str, Any]) -> bool:
    signature = _signature(function)
    if signature is None:
        return True
    try:
        signature.bind(*args, **named)
    except TypeError:
        return False
    return True


def _check(function: Any, args: tuple[Any, ...], named: Mapping[str, Any]) -> None:
    """Raise NoInputsError where inputs that were asked for do not fit the signature."""
    signature = _signature(function)
    if signature is not None:
        try:
            signature.bind(*args, **named)
        except TypeError as error:
            raise NoInputsError(f"the inputs do not fit {signature}: {error}") from error


def _varied_calls(call: Call, target: Target) -> list[Call]:
    """A found call with the dynamic dimensions grown, by repeating what is there."""
    args, named = call

    def grown(name: str, position: int, value: Any) -> Any:
        if not isinstance(value, torch.Tensor) or value.dim() == 0:
            return copy.deepcopy(value)
        before = InputSet((Input(name, tuple(value.shape)),))
        dims = [(("" if key == str(position) else key), dims) for key, dims in target.dynamic_dims]
        shape = varied(before, dims).inputs[0].shape or ()
        for dim, size in enumerate(shape):
            if size != value.shape[dim]:
                value = value.index_select(dim, torch.arange(size) % value.shape[dim])
        return value.clone()

    positional = tuple(grown("", position, value) for position, value in enumerate(args))
    return [(positional, {name: grown(name, -1, value) for name, value in named.items()})]


def _moved(call: Call, device: str) -> Call:
    if device == "cpu":
        return call
    args, named = call
    return tuple(_to(one, device) for one in args), {name: _to(one, device) for name, one in named.items()}


def _to(value: Any, device: str) -> Any:
    if isinstance(value, torch.Tensor):
        return value.to(device)
    if isinstance(value, Mapping):
        return {key: _to(one, device) for key, one in value.items()}
    if isinstance(value, tuple):
        return tuple(_to(one, device) for one in value)
    return [_to(one, device) for one in value] if isinstance(value, list) else value
