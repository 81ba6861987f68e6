"""More runs than the target asks for, so that a proof rests on more than one draw of the inputs.

Several seeds, training and evaluation, inputs turned round, emptied, cut short and blown up, and draws of random
numbers forced to their ends. Every exercise makes its arguments again, the same in every process.
"""

from __future__ import annotations

import contextlib
import copy
import inspect
import random
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType
from typing import Any

import torch

from compilelint.dynamic.targets import Target
from compilelint.dynamic.worker.inputs import Call, sets_for
from compilelint.dynamic.worker.loading import Loaded
from compilelint.dynamic.worker.seeding import seed_torch

SEEDS = 8
_MOST_TENSORS = 6  # arguments that are varied each by itself
_LOW, _HIGH = 0.0, 1.0 - 2**-24  # the ends of what `torch.rand` gives


@dataclass(frozen=True)
class Exercise:
    """One run: how to make its arguments, its seed, the mode, and what draws are forced to (None: as they come).

    `shared` exercises run compiled too. `prepare` changes what the target holds, after all of it was put back.
    """

    label: str
    make: Callable[[], Call]
    seed: int
    train: bool
    draws: float | None = None
    shared: bool = True
    prepare: Callable[[], None] | None = None


def exercises_for(
    target: Target, loaded: Loaded, device: str, variants: Mapping[str, Callable[[], None]] = MappingProxyType({})
) -> list[Exercise]:
    """All exercises of a target, those that also run compiled first, and of each kind the most important first.

    `variants` are other contents of what the target holds (`held.Held`).
    """
    both = isinstance(loaded.function, torch.nn.Module)
    train = target.mode == "train"
    modes = (train, not train) if both else (train,)
    count = len(sets_for(target, loaded, 0, device)[1]) or 1
    sets = [partial(_of_set, target, loaded, device, number) for number in range(count)]
    found: list[Exercise] = []
    for seed in range(SEEDS):
        for mode in modes:
            for number, make in enumerate(sets):
                label = f"seed {seed}, {_word(mode)}" + (f", input set {number + 1}" if len(sets) > 1 else "")
                found.append(Exercise(label, partial(make, seed), seed, mode))
    first = partial(sets[0], 0)
    for name, change in _values(first()):
        for mode in modes:
            found.append(Exercise(f"{name}, {_word(mode)}", partial(_changed, first, change), 0, mode))
    for name, prepare in variants.items():
        found.append(Exercise(f"{name}, {_word(train)}", first, 0, train, prepare=prepare))
    for mode in modes:
        for draws, word in ((_LOW, "lowest"), (_HIGH, "highest")):
            label = f"draws at their {word}, {_word(mode)}"
            found.append(Exercise(label, first, 0, mode, draws, shared=False))
    for name, change in _shapes(first()):
        found.append(Exercise(f"{name}, {_word(train)}", partial(_changed, first, change), 0, train, shared=False))
    for name in _optional(loaded.function, first()):
        found.append(
            Exercise(f"without {name}, {_word(train)}", partial(_left_out, first, name), 0, train, shared=False)
        )
    return sorted(found, key=lambda one: not one.shared)


def _word(train: bool) -> str:
    return "train" if train else "eval"


def _of_set(target: Target, loaded: Loaded, device: str, number: int, seed: int) -> Call:
    """The first call of an input set."""
    seed_all(seed)
    return sets_for(target, loaded, seed, device)[1][number][0]


def seed_all(seed: int) -> None:
    """Start every source of random numbers that a model may draw from."""
    seed_torch(seed)
    random.seed(seed)
    numpy = sys.modules.get("numpy")
    if numpy is not None:
        numpy.random.seed(seed)


@contextlib.contextmanager
def forced(value: float | None) -> Iterator[None]:
    """Let single draws between 0 and 1 give `value`; what draws many numbers at once is left as it is."""
    if value is None:
        yield
        return
    numpy = sys.modules.get("numpy")
    owners: list[tuple[Any, str]] = [(torch, "rand"), (random, "random"), (random, "uniform")]
    if numpy is not None:
        owners += [(numpy.random, name) for name in ("rand", "random", "uniform")]
    before = [(owner, name, getattr(owner, name)) for owner, name in owners]
    for owner, name, draw in before:
        setattr(owner, name, partial(_forced, draw, value))
    try:
        yield
    finally:
        for owner, name, draw in before:
            setattr(owner, name, draw)


def _forced(draw: Callable[..., Any], value: float, *args: Any, **named: Any) -> Any:
    """The draw is made, so that as many random numbers are used up as ever."""
    drawn = draw(*args, **named)
    if isinstance(drawn, torch.Tensor):
        return torch.full_like(drawn, value) if drawn.numel() == 1 else drawn
    if not isinstance(drawn, float):
        return drawn
    if draw.__name__ == "uniform" and len(args) == 2:
        return args[0] + (args[1] - args[0]) * value
    return value


# -------------------------------------------------------------------- variants

_Change = Callable[[torch.Tensor], torch.Tensor]


def _changed(make: Callable[[], Call], change: Callable[[Call], Call]) -> Call:
    return change(make())


def _values(call: Call) -> Iterator[tuple[str, Callable[[Call], Call]]]:
    """The same shapes with other numbers in them: in all arguments, then in each by itself."""
    ways: tuple[tuple[str, _Change], ...] = (
        ("zeros", torch.zeros_like),
        ("ones", torch.ones_like),
        ("negated", _negated),
        ("reversed", lambda one: one.flip(-1) if one.dim() else one),
        ("small positive values", lambda one: one.abs() / 1000 if one.is_floating_point() else one),
        ("one number that is none", _with_nan),
        ("1000 times larger", lambda one: one * 1000 if one.is_floating_point() else one),
    )
    count = len(_tensors(call))
    for name, way in ways:
        yield f"{name} for all inputs", partial(_mapped, way, None)
    for place in range(count if 1 < count <= _MOST_TENSORS else 0):
        for name, way in ways[:3]:
            yield f"{name} for input {place}", partial(_mapped, way, place)


def _with_nan(one: torch.Tensor) -> torch.Tensor:
    if not one.is_floating_point() or not one.numel():
        return one
    changed = one.clone()
    changed[(0,) * one.dim()] = float("nan")
    return changed


def _negated(one: torch.Tensor) -> torch.Tensor:
    if one.dtype is torch.bool:
        return ~one
    return -one if one.is_floating_point() or one.is_complex() else one.max() - one if one.numel() else one


def _shapes(call: Call) -> Iterator[tuple[str, Callable[[Call], Call]]]:
    """Other sizes: one item, none, and the second dimension cut to one and by one."""
    tensors = [one for one in _tensors(call) if one.dim()]
    sizes = {one.shape[0] for one in tensors}
    if len(sizes) == 1:
        yield "a batch of one", partial(_mapped, lambda one: one[:1] if one.dim() else one, None)
        yield "an empty batch", partial(_mapped, lambda one: one[:0] if one.dim() else one, None)
    lengths = {one.shape[1] for one in tensors if one.dim() > 1}
    if len(lengths) == 1:
        length = lengths.pop()
        for wanted in {1, max(length - 1, 1)} - {length}:
            way: _Change = partial(_cut, wanted)
            yield f"a second dimension of {wanted}", partial(_mapped, way, None)


def _optional(function: Any, call: Call) -> list[str]:
    """The named arguments of a call that the function has a default for: its users may leave out each."""
    called = function.forward if isinstance(function, torch.nn.Module) else function
    try:
        known = inspect.signature(called).parameters
    except (TypeError, ValueError):
        return []
    return [name for name in call[1] if name in known and known[name].default is not inspect.Parameter.empty]


def _left_out(make: Callable[[], Call], name: str) -> Call:
    args, named = make()
    return args, {other: value for other, value in named.items() if other != name}


def _cut(length: int, one: torch.Tensor) -> torch.Tensor:
    return one[:, :length].clone() if one.dim() > 1 else one


def _tensors(call: Call) -> list[torch.Tensor]:
    return [one for one in (*call[0], *call[1].values()) if isinstance(one, torch.Tensor)]


def _mapped(way: _Change, only: int | None, call: Call) -> Call:
    """The call with its tensors changed, or only the one at a place among them."""
    place = -1

    def one(value: Any) -> Any:
        nonlocal place
        if not isinstance(value, torch.Tensor):
            return copy.deepcopy(value)
        place += 1
        return way(value).clone() if only in (None, place) else value

    args = tuple(one(value) for value in call[0])
    return args, {name: one(value) for name, value in call[1].items()}
