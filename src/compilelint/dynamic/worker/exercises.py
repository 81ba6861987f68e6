"""More runs than the target asks for, so that a proof rests on more than one draw of the inputs.

Several seeds, training and evaluation, inputs turned round, emptied, cut short and blown up, and draws of random
numbers forced to their ends; then the target under other conditions (`conditions`). Every exercise makes its
arguments again, the same in every process.
"""

from __future__ import annotations

import contextlib
import random
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType
from typing import Any

import torch

from compilelint.dynamic.targets import Target
from compilelint.dynamic.worker.conditions import Condition, Setting, conditions, setting_of
from compilelint.dynamic.worker.held import Variant
from compilelint.dynamic.worker.inputs import Call, sets_for
from compilelint.dynamic.worker.loading import Loaded
from compilelint.dynamic.worker.seeding import seed_torch
from compilelint.dynamic.worker.variations import (
    Word,
    defaults,
    edges,
    infinite,
    nans,
    optional,
    other_words,
    plain_numbers,
    shapes,
    single_numbers,
    values,
    words,
)

SEEDS = 8
_LOW, _HIGH = 0.0, 1.0 - 2**-24  # the ends of what `torch.rand` gives


@dataclass(frozen=True)
class Exercise:
    """One run: how to make its arguments, its seed, the mode, and what draws are forced to (None: as they come).

    `shared` exercises run compiled too. `prepare` changes what the target holds, after all of it was put back. `risky`
    ones hold whole numbers out of their range, which some of torch's functions read as addresses. One under another
    `condition` may change the target itself. `varies` says what is varied that no caller asked for; empty for the rest.
    """

    label: str
    make: Callable[[], Call]
    seed: int
    train: bool
    draws: float | None = None
    shared: bool = True
    prepare: Callable[[], None] | None = None
    risky: bool = False
    condition: Condition | None = None
    varies: str = ""


def exercises_for(
    target: Target,
    loaded: Loaded,
    device: str,
    variants: Mapping[str, Variant] = MappingProxyType({}),
    others: Sequence[Word] | None = None,
    setting: Setting | None = None,
) -> list[Exercise]:
    """All exercises of a target, those that also run compiled first, and of each kind the most important first.

    `variants` are other contents of what the target holds (`held.Held`), `others` the strings that arguments are
    replaced with, `setting` what conditions depend on (those of its own if not given).
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
    for name, change in values(first()):
        for mode in modes:
            found.append(Exercise(f"{name}, {_word(mode)}", partial(_changed, first, change), 0, mode))
    for name, change in nans(first()):
        found.append(Exercise(f"{name}, {_word(train)}", partial(_changed, first, change), 0, train))
    for name, variant in variants.items():
        make = first if variant.argument is None else partial(_given, first, variant.argument)
        found.append(Exercise(f"{name}, {_word(train)}", make, 0, train, prepare=variant.prepare))
    for mode in modes:
        for draws, word in ((_LOW, "lowest"), (_HIGH, "highest")):
            label = f"draws at their {word}, {_word(mode)}"
            found.append(Exercise(label, first, 0, mode, draws, shared=False))
    called = called_of(loaded)
    if others is None:
        others = other_words(called, first())
    beyond, sizes = dict(edges(first())), dict(shapes(first()))
    alone = (*optional(called, first()), *sizes.items(), *infinite(first()), *beyond.items(), *words(others))
    for name, change in (*alone, *defaults(called, first()), *plain_numbers(first())):
        make, risky = partial(_changed, first, change), name in beyond
        varies = "sizes" if name in sizes else ""
        found.append(Exercise(f"{name}, {_word(train)}", make, 0, train, shared=False, risky=risky, varies=varies))
    setting = setting or setting_of(loaded.function, called, first())
    for name, condition in conditions(loaded.function, called, first(), setting):
        mode = train if condition.train is None or not both else condition.train
        make = first if condition.change is None else partial(_changed, first, condition.change)
        label = f"{name}, {_word(mode)}"
        found.append(Exercise(label, make, 0, mode, shared=False, condition=condition, varies=condition.varies))
    return sorted(found, key=lambda one: not one.shared)


def _changed(make: Callable[[], Call], change: Callable[[Call], Call]) -> Call:
    return change(make())


def _given(make: Callable[[], Call], argument: Callable[[], torch.Tensor]) -> Call:
    """The call with the number that is held in the place of each single number of its kind."""
    return single_numbers(make(), argument())


def called_of(loaded: Loaded) -> Any:
    """The function whose parameters a call fills."""
    return loaded.function.forward if isinstance(loaded.function, torch.nn.Module) else loaded.function


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
