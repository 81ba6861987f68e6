"""Calls a model as eager or compiled, and keeps what came of each call: results, gradients, changed inputs, state.

The eager reference runs in a forked copy of the process, made before anything was compiled, so that caches, counters
and warnings given once are as fresh for one as for the other. Where there is no fork, or the device cannot follow one
(CUDA), eager runs after the compiled one on a copy of the model.
"""

from __future__ import annotations

import copy
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, ClassVar

import torch

from compilelint.dynamic.worker import faults
from compilelint.dynamic.worker.faults import called as handed
from compilelint.dynamic.worker.faults import hands_over
from compilelint.dynamic.worker.inputs import Call
from compilelint.dynamic.worker.last_words import Ending, LastWords
from compilelint.dynamic.worker.seeding import drew_since, generators, seed_torch
from compilelint.dynamic.worker.snapshot import Snapshot, alike, flat, inside, state_of


@dataclass
class Outcome:
    """What each call gave (`calls`), the state in the end, and what was raised, with the number of the call.

    `settled` names the plain values of the state that no call changed: where two processes build a model, these may
    differ for what the processes are (a hash, an address, a time), not for what the program does. `constant` names all
    that no call changed, tensors too. `drew` says that a call drew from torch's generator of the host or of a device.
    `place` is the target's line that raised the error, and `ends` says that it is one that ends a process (SystemExit).
    """

    calls: list[Snapshot] = field(default_factory=list)
    state: Snapshot = field(default_factory=dict)
    settled: list[str] = field(default_factory=list)
    constant: list[str] = field(default_factory=list)
    error: str = ""
    place: str = ""
    ends: bool = False
    failed: int = -1
    unsupported: bool = False
    drew: bool = False

    def plain(self) -> dict[str, Any]:
        """As data that `torch.save` writes and `weights_only` reads."""
        kept = {"state": self.state, "settled": self.settled, "constant": self.constant}
        raised = {"error": self.error, "place": self.place, "ends": self.ends, "failed": self.failed}
        return {"calls": self.calls, **kept, **raised, "drew": self.drew}


def make_calls(
    function: Any,
    called: Callable[..., Any],
    calls: list[Call],
    *,
    train: bool,
    seed: int,
    before: Callable[[int], None] = lambda number: None,
    apart: bool = False,
) -> Outcome:
    """Call `called` (what `function` became) with each set of arguments; in training, take gradients too.

    `apart` says that the outcome is held against that of another process.
    """
    outcome = Outcome()
    start = state_of(function) if apart else {}
    for number, (args, named) in enumerate(calls):
        before(number)
        seed_torch(seed)
        undrawn = generators()
        try:
            with torch.set_grad_enabled(train):
                result = handed(called, args, named)
            outcome.drew = outcome.drew or drew_since(undrawn)
            found: Snapshot = {}
            flat(result, "output", found)
            flat(list(args), "input", found)
            flat(dict(named), "input", found)
            if train:
                found.update(gradients(function, result))
            outcome.calls.append(found)
        except BaseException as error:  # whatever the user's code raises is what was observed
            if not faults.is_answer(error):
                raise
            outcome.error = _error_text(error)
            outcome.place, outcome.ends = faults.place_in_target(error), not isinstance(error, Exception)
            outcome.failed = number
            outcome.unsupported = isinstance(error, (torch._dynamo.exc.Unsupported, torch._dynamo.exc.UserError))
            break
    try:
        outcome.state = state_of(function)
    except RuntimeError as error:  # of a result of a CUDA graph that the next run has overwritten
        if outcome.failed < 0:
            outcome.error, outcome.failed = _error_text(error), len(calls) - 1
    outcome.constant = [
        name for name, one in start.items() if name in outcome.state and alike(one, outcome.state[name])
    ]
    outcome.settled = [name for name in outcome.constant if isinstance(start[name], str)]
    return outcome


def copied(value: Any) -> Any | None:
    """A copy of the user's models or arguments, None where they refuse to be copied."""
    try:
        return copy.deepcopy(value)
    except Exception:  # noqa: BLE001 - `__deepcopy__` and `__reduce__` of the user's classes may raise anything
        return None


def _error_text(error: BaseException) -> str:
    text = f"{type(error).__name__}: {error}".strip() if isinstance(error, Exception) else faults.as_raised(error)
    return text[:2000]


@hands_over
def gradients(function: Any, result: Any) -> Snapshot:
    """Gradients of the loss if the result has one, else of a fixed weighting of every result that has a gradient."""
    loss = _loss(result)
    found: Snapshot = {}
    if loss is None or not isinstance(function, torch.nn.Module):
        return found
    loss.backward()
    for name, parameter in function.named_parameters():
        if parameter.grad is not None:
            found[f"gradient of {name}"] = parameter.grad.detach().clone().cpu()
            parameter.grad = None
    return found


@hands_over
def differentiable(call: Call) -> None:
    """Let gradients be taken with respect to the inputs of a call."""
    for one in tensors(call):
        if one.is_floating_point() and one.is_leaf:
            one.requires_grad_()


@hands_over
def derivatives(function: Any, result: Any, call: Call, order: int) -> Snapshot:
    """Derivatives of all results, weighted, by the inputs and the parameters; of the second order too, where asked."""
    by = {f"input {place}": one for place, one in enumerate(tensors(call)) if one.requires_grad}
    if isinstance(function, torch.nn.Module):
        by |= {name: one for name, one in function.named_parameters() if one.requires_grad}
    found: Snapshot = {}
    wanted = [one for one in tensors(result) if one.requires_grad and one.numel()]
    for number in range(order):
        total = _weighted(wanted)
        if total is None or not by:
            break
        more = number + 1 < order
        given = torch.autograd.grad(total, [*by.values()], create_graph=more, retain_graph=more, allow_unused=True)
        named = {name: one for name, one in zip(by, given, strict=True) if one is not None}
        found |= {f"gradient of {name}{' again' * number}": one.detach().clone().cpu() for name, one in named.items()}
        wanted = [one for one in named.values() if one.requires_grad and one.numel()]
    return found


def _weighted(parts: list[torch.Tensor]) -> torch.Tensor | None:
    """The sum of all numbers, each with a weight of its own."""
    total = None
    for place, given in enumerate(parts):
        part = given if given.layout is torch.strided else given.to_dense()
        # Plain sums would hide much: those of a softmax or a normalisation do not depend on what came in.
        weights = torch.cos(torch.arange(part.numel(), device=part.device, dtype=torch.float32) + place)
        wide = part.abs() if part.is_complex() else part
        wide = wide if wide.dtype is torch.float64 else wide.float()
        one = _sum(wide.mul(weights.reshape(part.shape)))
        if one is not None:
            total = one if total is None else total + one
    return total


def _sum(part: torch.Tensor) -> torch.Tensor | None:
    """The sum of what has a derivative: NaN has none, and which gradients it spoils is chance; None where all are."""
    numbers = ~part.detach().isnan()
    if bool(numbers.all()):
        return part.sum()
    return part[numbers].sum() if bool(numbers.any()) else None


@hands_over
def _loss(result: Any) -> torch.Tensor | None:
    named = result.get("loss") if isinstance(result, Mapping) else getattr(result, "loss", None)
    if isinstance(named, torch.Tensor) and named.requires_grad:
        return _sum(named)
    return _weighted([one for one in tensors(result) if one.requires_grad and one.numel()])


def tensors(value: Any, depth: int = 0) -> list[torch.Tensor]:
    """The tensors of a result, inside mappings, lists, tuples and the user's objects too."""
    if isinstance(value, torch.Tensor):
        return [value]
    if depth > 5:
        return []
    return [found for _, one in inside(value) for found in tensors(one, depth + 1)]


# ----------------------------------------------------------------------- fork


class Forked:
    """A copy of this process that waits to run `function` and writes what came of it to `path`.

    `run` makes it go and returns how it ended. `drop` lets it end unused. Several may wait, and end in any order.
    """

    _gates: ClassVar[set[int]] = set()  # where this process can let others go; a copy that held one would keep it open

    def __init__(self, function: Callable[[], Mapping[str, Any]], path: str) -> None:
        self.path = path
        self._gate, write = os.pipe()
        self._write = write
        self._words = LastWords()
        self._child = os.fork()
        if not self._child:
            for gate in (write, *self._gates):
                os.close(gate)
            self._words.speak(partial(_wait_and_run, self._gate, function, path))
        self._words.let_go()
        os.close(self._gate)
        self._gates.add(write)

    def run(self) -> Ending:
        """Run it to its end. The time limit is the parent's: it ends the whole group."""
        os.write(self._write, b"1")
        return self._ended()

    def drop(self) -> None:
        """End it unused."""
        if self._child:
            self._ended()

    def _ended(self) -> Ending:
        os.close(self._write)
        self._gates.discard(self._write)
        _, status = os.waitpid(self._child, 0)
        self._child = 0
        return self._words.ending(status)

    def read(self) -> dict[str, Any]:
        """What it wrote."""
        found: dict[str, Any] = torch.load(self.path, weights_only=True)
        return found


def _wait_and_run(gate: int, function: Callable[[], Mapping[str, Any]], path: str) -> None:
    """The child's whole life."""
    if os.read(gate, 1):
        torch.save(dict(function()), path)


def can_fork(device: str) -> bool:
    """Fork copies neither CUDA's state nor a pool of threads."""
    return hasattr(os, "fork") and device == "cpu" and torch.get_num_threads() == 1
