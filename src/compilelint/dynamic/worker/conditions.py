"""Under which other conditions a target is run: what its users change about it that no call of it shows.

One table: gradients of the inputs, other dtypes, strides, sizes and devices, weights that changed, layers that are
hooked, wrapped or overridden, optional objects. Each runs in eager alone. Does not belong
here: other numbers and plain arguments (`variations`).
"""

from __future__ import annotations

import contextlib
import types
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import partial
from typing import Any

import torch

from compilelint.dynamic.worker.elsewhere import move_module, moved, second_device
from compilelint.dynamic.worker.inputs import Call
from compilelint.dynamic.worker.objects import objects_for, scaled
from compilelint.dynamic.worker.processes import join, may_communicate, noting_calls
from compilelint.dynamic.worker.variations import Change, mapped, sized_inputs, tensors_of

_BEYOND = 2**27 + 5  # float32 holds none of the next eleven numbers
_MOST_TENSORS = 4  # inputs and layers that are changed each by itself
_OF_MODULE = frozenset(dir(torch.nn.Module)) | {"forward"}

Alter = Callable[[Any, Callable[[], Call]], Any]


@dataclass(frozen=True)
class Condition:
    """How an exercise differs: its call (`change`), what is called (`alter`, given the target and what makes calls).

    `varies` is what only this condition varies, in words: where all that vary it raise, it was seen in one value only.
    `order` is how often is differentiated, with respect to the inputs too, and `train` the mode, if it must be one.
    `loud` makes every logger enabled. `around` holds during the call, and may give what it notes, which `notes` names.
    What changes the target, or may end the process (`risky`), needs a process of its own.
    """

    varies: str
    change: Change | None = None
    alter: Alter | None = None
    order: int = 0
    train: bool | None = None
    loud: bool = False
    risky: bool = False
    around: Callable[[], AbstractContextManager[list[str] | None]] = contextlib.nullcontext
    notes: str = ""

    @property
    def alone(self) -> bool:
        """Whether it needs a process of its own."""
        return self.alter is not None or self.risky


@dataclass(frozen=True)
class Setting:
    """What the original has, and is changed in a copy too: layers, and numbers among its attributes (by module, name).

    `sized` are the places of the inputs whose sizes its tests ask, and `communicates` says that its processes may talk
    to others.
    """

    layers: tuple[str, ...]
    numbers: tuple[tuple[str, str], ...]
    sized: tuple[int, ...]
    communicates: bool


def setting_of(target: Any, called: Any, call: Call) -> Setting:
    """The setting of an original: its last layers of floats, which is where precision is mixed."""
    layers = [
        name
        for name, one in (target.named_modules() if isinstance(target, torch.nn.Module) else ())
        if name and not one._modules and any(kept.is_floating_point() for kept in one.parameters(recurse=False))
    ]
    sized = tuple(sized_inputs(called, call))
    return Setting(tuple(layers[-_MOST_TENSORS:]), tuple(_numbers_of(target)), sized, may_communicate())


def conditions(target: Any, called: Any, call: Call, setting: Setting) -> Iterator[tuple[str, Condition]]:
    """All that apply to a target, by name; what refuted most rewrites comes first."""
    tensors = tensors_of(call)
    floats = any(one.is_floating_point() for one in tensors)
    is_model = isinstance(target, torch.nn.Module)
    has_dtype = floats or (is_model and any(one.is_floating_point() for one in target.parameters()))
    differentiable = floats or (is_model and next(target.parameters(), None) is not None)
    table: tuple[tuple[str, bool, Condition], ...] = (
        ("gradients of the inputs", differentiable, Condition("gradients of the inputs", order=1, train=True)),
        ("gradients in evaluation", differentiable, Condition("gradients in evaluation", order=1, train=False)),
        ("on another device", bool(tensors), _ON_THE_HOST if _any_elsewhere(tensors) else _SECOND_DEVICE),
        ("in float64", has_dtype, Condition("dtype", *_in(torch.float64))),
        ("in bfloat16", has_dtype, Condition("dtype", *_in(torch.bfloat16))),
        ("inputs with other strides", _any_dim(tensors, 1), _strides(_strided)),
        ("inputs in channels last", _any_dim(tensors, 4), _strides(_channels_last)),
        ("all layers hooked", is_model, Condition("hooks", alter=_hooked)),
        ("all layers wrapped", is_model, Condition("wrapped layers", alter=_wrapped)),
        ("overridden methods", is_model, Condition("overridden methods", alter=_overridden)),
        (
            "other plain attributes",
            is_model,
            Condition("attributes", alter=partial(_other_attributes, setting.numbers)),
        ),
        ("weights changed after a call", is_model, Condition("weights", alter=_changed_weights)),
        ("saved flags turned over", is_model and bool(_flags(target)), Condition("saved flags", alter=_other_flags)),
        ("weights that are zero filled", is_model and bool(_zero_weights(target)), _FILLED),
        ("all weights frozen", is_model, Condition("what is trained", alter=_frozen, train=True)),
        ("one of two processes", setting.communicates, _TWO_PROCESSES),
        ("logging at every level", True, Condition("log levels", loud=True)),
        ("second derivatives", differentiable, Condition("second derivatives", order=2)),
        ("gradients where all inputs are zero", floats, _AT_ZERO),
        ("inputs and weights that are halves", has_dtype, _HALVES),
        *_of_sizes(tensors),
        *_of_single_sizes(setting.sized, tensors),
        *_of_whole_numbers(tensors),
        *_of_mixed_dtypes(setting.layers, tensors),
    )
    yield from ((name, condition) for name, applies, condition in table if applies)
    for name, make in objects_for(called, call, tensors):
        yield f"{name} given", Condition(f"{name} is always left out", partial(_with_object, name, make))


def _any_dim(tensors: list[torch.Tensor], least: int) -> bool:
    return any(one.dim() >= least for one in tensors)


def _any_elsewhere(tensors: list[torch.Tensor]) -> bool:
    return any(one.device.type != "cpu" for one in tensors)


# ------------------------------------------------------------------------ inputs


def _of_sizes(tensors: list[torch.Tensor]) -> Iterator[tuple[str, bool, Condition]]:
    for dim, name in ((0, "first"), (1, "second"), (-1, "last")):
        sizes = {one.shape[dim] for one in tensors if one.dim() > (2 if dim < 0 else dim)}
        change = partial(mapped, partial(_grown, dim), None)
        yield f"a {name} dimension three times as large", len(sizes) == 1, Condition("larger sizes", change)
    change = partial(mapped, lambda one: one[None] if one.dim() else one, None)
    yield "one dimension more", _any_dim(tensors, 1), Condition("number of dimensions", change)
    change = partial(mapped, lambda one: one[0] if one.dim() > 1 and one.shape[0] else one, None)
    yield "one dimension less", _any_dim(tensors, 2), Condition("number of dimensions", change)


def _of_single_sizes(places: Sequence[int], tensors: list[torch.Tensor]) -> Iterator[tuple[str, bool, Condition]]:
    """A dimension of size 1, which broadcasts, of an input alone, where a test asks its sizes: others are not meant."""
    for place in places[:_MOST_TENSORS]:
        for dim, size in enumerate(tensors[place].shape):
            if size > 1:
                change = partial(mapped, partial(torch.Tensor.narrow, dim=dim, start=0, length=1), place)
                yield f"dimension {dim} of input {place} of size 1", True, Condition("sizes of single inputs", change)


def _of_mixed_dtypes(layers: Sequence[str], tensors: list[torch.Tensor]) -> Iterator[tuple[str, bool, Condition]]:
    """Each input by itself in double, and each of the last layers in half precision: mixed precision has both."""
    floats = [place for place, one in enumerate(tensors[:_MOST_TENSORS]) if one.is_floating_point()]
    for place in floats:
        change = partial(mapped, torch.Tensor.double, place)
        yield f"input {place} in float64", True, Condition("dtypes of single inputs and layers", change)
    for name in layers:
        condition = Condition("dtypes of single inputs and layers", alter=partial(_layer_in_half, name))
        yield f"{name} in bfloat16", True, condition


def _layer_in_half(name: str, function: Any, make: Callable[[], Call]) -> Any:
    function.get_submodule(name).to(torch.bfloat16)
    return function


def _grown(dim: int, one: torch.Tensor) -> torch.Tensor:
    if one.dim() <= (2 if dim < 0 else dim):
        return one
    return torch.cat([one, one.roll(1, dim), one.roll(2, dim)], dim)


def _of_whole_numbers(tensors: list[torch.Tensor]) -> Iterator[tuple[str, bool, Condition]]:
    for place, one in enumerate(tensors):
        if one.dtype is torch.int64 and one.numel():
            change = partial(mapped, lambda one: one + _BEYOND, place)
            condition = Condition("whole numbers beyond 2**24", change, risky=True)
            yield f"whole numbers beyond 2**24 in input {place}", True, condition


def _strides(way: Callable[[torch.Tensor], torch.Tensor]) -> Condition:
    """Other strides; some of torch's gradients (of a norm in channels last) end the process for them."""
    return Condition("strides", partial(mapped, way, None), risky=True)


def _strided(one: torch.Tensor) -> torch.Tensor:
    """The same numbers in other places: with the last two dimensions turned, or with gaps."""
    if one.dim() > 1:
        return one.transpose(-1, -2).contiguous().transpose(-1, -2)
    return torch.stack([one, one], -1)[..., 0] if one.dim() else one


def _channels_last(one: torch.Tensor) -> torch.Tensor:
    return one.contiguous(memory_format=torch.channels_last) if one.dim() == 4 else one


def _zero(one: torch.Tensor) -> torch.Tensor:
    return torch.zeros_like(one) if one.is_floating_point() else one


def _in_halves(one: torch.Tensor) -> torch.Tensor:
    """The nearest multiples of a half: many are equal, and twice each is whole."""
    return one.mul(2).round().div(2) if one.is_floating_point() else one


def _weights_in_halves(function: Any, make: Callable[[], Call]) -> Any:
    """Weights of which sums of products are exact; as large as they are, most would be rounded to zero."""
    with torch.no_grad():
        for one in function.parameters() if isinstance(function, torch.nn.Module) else ():
            if one.is_floating_point():
                one.copy_(one.sign() / 2)
    return function


def _elsewhere(call: Call) -> Call:
    return mapped(moved, None, call)


def _in(dtype: torch.dtype) -> tuple[Change, Alter]:
    beyond = 1 + torch.finfo(torch.float32).eps / 8  # in double, numbers that a single cannot hold

    def change(one: torch.Tensor) -> torch.Tensor:
        return one.to(dtype) * beyond if one.is_floating_point() else one

    def alter(function: Any, make: Callable[[], Call]) -> Any:
        if isinstance(function, torch.nn.Module):
            with torch.no_grad():
                for one in function.to(dtype).parameters():
                    one.mul_(beyond)
        return function

    return partial(mapped, change, None), alter


# ------------------------------------------------------------------------ models


def _moved_model(function: Any, make: Callable[[], Call]) -> Any:
    if isinstance(function, torch.nn.Module):
        move_module(function)
    return function


def _to_host(function: Any) -> Any:
    return function.cpu() if isinstance(function, torch.nn.Module) else function


def _changed_weights(function: Any, make: Callable[[], Call]) -> Any:
    """Call it, then change all it learned: what was kept of the old weights is stale."""
    args, named = make()
    with torch.no_grad():
        function(*args, **named)
        changed: set[int] = set()
        for one in function.state_dict().values():  # what is saved comes from elsewhere; what is not, was computed here
            if isinstance(one, torch.Tensor) and one.is_floating_point() and one.data_ptr() not in changed:
                changed.add(one.data_ptr())
                one.mul_(1.5)
    return function


def _flags(model: torch.nn.Module) -> list[torch.Tensor]:
    """What is saved and says yes or no: bools, and whole numbers of one element that are 0 or 1."""
    saved = [one for one in model.state_dict().values() if isinstance(one, torch.Tensor) and one.numel()]
    whole = [one for one in saved if not (one.is_floating_point() or one.is_complex())]
    return [one for one in whole if one.dtype is torch.bool or (one.numel() == 1 and int(one) in (0, 1))]


def _other_flags(function: Any, make: Callable[[], Call]) -> Any:
    """As from a checkpoint of another time: what is taken for initialised is not, and the other way round."""
    with torch.no_grad():
        for one in _flags(function):
            one.copy_(one == 0)
    return function


def _zero_weights(model: torch.nn.Module) -> list[torch.nn.Parameter]:
    """Weights that begin at zero, behind which no gradient shows: last layers of blocks, scales of residuals."""
    named = model.named_parameters()
    return [one for name, one in named if one.is_floating_point() and not name.endswith("bias") and not one.any()]


def _filled(function: Any, make: Callable[[], Call]) -> Any:
    """As after some training. The numbers depend on the size alone, so that both sides have the same."""
    with torch.no_grad():
        for one in _zero_weights(function):
            one.copy_(torch.linspace(-0.4, 0.5, one.numel(), dtype=one.dtype, device=one.device).view(one.shape))
    return function


def _frozen(function: Any, make: Callable[[], Call]) -> Any:
    """As under an adapter, which trains its own weights alone."""
    return function.requires_grad_(False)


def _hooked(function: Any, make: Callable[[], Call]) -> Any:
    for module in list(function.modules())[1:]:
        module.register_forward_hook(lambda module, args, result: scaled(result))
    return function


class _Wrapped(torch.nn.Module):  # type: ignore[misc]
    """A layer inside another that changes what it gives, and lets its attributes be seen: an adapter."""

    def __init__(self, base: torch.nn.Module) -> None:
        super().__init__()
        self.base = base

    def __getattr__(self, name: str) -> Any:
        try:
            return super().__getattr__(name)
        except AttributeError:
            return getattr(super().__getattr__("base"), name)

    def forward(self, *args: Any, **named: Any) -> Any:
        return scaled(self.base(*args, **named))


def _wrapped(function: Any, make: Callable[[], Call]) -> Any:
    for module in list(function.modules()):
        for name, child in list(module._modules.items()):
            if child is not None and not child._modules and child._parameters:
                module._modules[name] = _Wrapped(child)
    return function


def _overridden(function: Any, make: Callable[[], Call]) -> Any:
    """Make every class of the model a subclass whose methods with public names give something else."""
    made: dict[type, type] = {}
    for module in function.modules():
        kind = type(module)
        if kind.__module__.partition(".")[0] != "torch":
            module.__class__ = made.setdefault(kind, type(kind.__name__, (kind,), _overriding(kind)))
    return function


def _overriding(kind: type) -> dict[str, Any]:
    found: dict[str, Any] = {"__module__": kind.__module__}
    for base in reversed(kind.__mro__):
        if base.__module__.partition(".")[0] in ("torch", "builtins"):
            continue
        for name, value in vars(base).items():
            if name.startswith("_") or name in _OF_MODULE:
                continue
            if isinstance(value, types.FunctionType):
                found[name] = _giving_otherwise(value)
            elif isinstance(value, staticmethod):
                found[name] = staticmethod(_giving_otherwise(value.__func__))
            elif isinstance(value, property) and value.fget is not None:
                found[name] = property(_giving_otherwise(value.fget), value.fset, value.fdel)
    return found


def _giving_otherwise(method: Callable[..., Any]) -> Callable[..., Any]:
    def overridden(*args: Any, **named: Any) -> Any:
        made = method(*args, **named)
        return not made if isinstance(made, bool) else made * 1.25 if isinstance(made, float) else scaled(made, 1.25)

    return overridden


def _numbers_of(target: Any) -> Iterator[tuple[str, str]]:
    for path, module in target.named_modules() if isinstance(target, torch.nn.Module) else ():
        of_classes: dict[str, Any] = {}
        for kind in reversed(type(module).__mro__):
            if kind.__module__.partition(".")[0] not in ("torch", "builtins"):
                of_classes |= vars(kind)
        for name, value in {**of_classes, **vars(module)}.items():
            if type(value) is float and not name.startswith("__"):
                yield path, name


def _other_attributes(numbers: Sequence[tuple[str, str]], function: Any, make: Callable[[], Call]) -> Any:
    """Other floats where modules and their classes hold some: what was one number may be another in another model."""
    for path, name in numbers:
        with contextlib.suppress(AttributeError):  # a copy that no longer has it does not read it
            module = function.get_submodule(path)
            setattr(module, name, getattr(module, name) * 1.5)
    return function


_SECOND_DEVICE = Condition(
    "device", _elsewhere, _moved_model, around=second_device, notes="where random numbers are drawn"
)
_ON_THE_HOST = Condition(
    "device", partial(mapped, torch.Tensor.cpu, None), alter=lambda function, _: _to_host(function)
)
_AT_ZERO = Condition("gradients at zero", partial(mapped, _zero, None), order=1, train=True)
_HALVES = Condition("numbers that are halves", partial(mapped, _in_halves, None), alter=_weights_in_halves)
_FILLED = Condition("weights that are zero", order=1, train=True, alter=_filled)
_TWO_PROCESSES = Condition("processes", alter=join, around=noting_calls, notes="what other processes are sent")


# ------------------------------------------------------------------------ optional objects


def _with_object(name: str, make: Callable[[], Any], call: Call) -> Call:
    args, named = mapped(torch.clone, None, call)
    return args, {**named, name: make()}
