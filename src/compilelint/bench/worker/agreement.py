"""How far compiled results and gradients are from eager ones, over several seeds of weights and inputs.

Both sides are built again for each seed, so that what timing left in a model plays no part. Where a model draws random
numbers, Inductor is set to draw those that eager draws. An output is measured by the norm of its difference against
its own norm; gradients are measured together, since single ones may be nothing but rounding.
"""

from __future__ import annotations

import copy
import importlib
import math
from typing import Any, Protocol

import torch

from compilelint.bench.plan import Config
from compilelint.dynamic.protocol import Settings
from compilelint.dynamic.targets import Target
from compilelint.dynamic.worker.calling import Outcome, copied, make_calls
from compilelint.dynamic.worker.faults import hands_over
from compilelint.dynamic.worker.inputs import Call
from compilelint.dynamic.worker.loading import Loaded
from compilelint.dynamic.worker.seeding import drew_since, generators
from compilelint.dynamic.worker.snapshot import Pair, Snapshot, by_chance, pairs

# Of what a whole model computes, not of one operation: rounding adds up over layers.
_LIMITS = {torch.float64: 1e-10, torch.float32: 1e-4, torch.float16: 1e-2, torch.bfloat16: 5e-2}
_TF32 = 5e-3
_GRADIENTS = 10.0
_FLOOR = 1e-6


class Subject(Protocol):
    """The model that is compared with its compiled self, and how both are made."""

    settings: Settings
    config: Config
    target: Target

    def loaded(self, seed: int, /) -> Loaded:
        """The model as `seed` makes it."""

    def sets_of(self, loaded: Loaded, seed: int, /) -> tuple[str, list[list[Call]]]:
        """Sets of inputs, and where they come from."""

    def compiled(self, function: Any, /) -> tuple[Any, Any]:
        """What is called in place of the function."""

    def precision(self) -> Any:
        """Autocast where AMP is on."""


def agreement(subject: Subject, seeds: tuple[int, ...]) -> dict[str, Any]:
    """The largest error over all seeds and calls, where it is, and what is allowed there."""
    worst: dict[str, Any] = {
        "seeds": seeds,
        "error": 0.0,
        "limit": _limit(torch.float32, subject, False),
        "name": "",
        "unknown": "",
    }
    drew = False
    for seed in seeds:
        pair = _pair(subject, seed)
        if pair is None:
            return {**worst, "unknown": "the model can be neither built twice nor copied"}
        eager, compiled = pair
        _, sets = subject.sets_of(eager, seed)
        calls = [call for calls in sets for call in calls]
        first, drawn = _run(subject, eager.function, eager.function, copy.deepcopy(calls), seed)
        if drawn and not drew:
            drew = True
            inductor: Any = importlib.import_module("torch._inductor.config")
            inductor.fallback_random = True
        called, _ = subject.compiled(compiled.function)
        second, _ = _run(subject, compiled.function, called, copy.deepcopy(calls), seed)
        if second.error or first.error:
            what = second.error.partition("\n")[0] or first.error.partition("\n")[0]
            return {**worst, "error": math.inf, "name": "what is raised", "unknown": what[:300] if first.error else ""}
        for one, two in zip(first.calls, second.calls, strict=True):
            error, limit, name = _apart(one, two, subject)
            if error / limit >= worst["error"] / worst["limit"]:
                worst |= {"error": error, "limit": limit, "name": name}
    if worst["error"] > worst["limit"] and _is_chance(subject, seeds[0], worst["limit"]):
        worst["unknown"] = by_chance(worst["name"])
    return worst


def _pair(subject: Subject, seed: int) -> tuple[Any, Any] | None:
    """The model twice, with the same weights."""
    eager, compiled = subject.loaded(seed), subject.loaded(seed)
    if not isinstance(eager.function, torch.nn.Module):
        return eager, compiled
    if eager.function is compiled.function:
        compiled.function = copied(eager.function)
        if compiled.function is None:
            return None
    else:
        compiled.function.load_state_dict(eager.function.state_dict(), strict=False)
    return eager, compiled


def _run(subject: Subject, function: Any, called: Any, calls: list[Call], seed: int) -> tuple[Outcome, bool]:
    """What came of the calls, and whether random numbers were drawn in them."""
    drawn = False

    @hands_over
    def call_compiled(*args: Any, **named: Any) -> Any:
        nonlocal drawn
        before = generators()
        with subject.precision():
            result = called(*args, **named)
        drawn = drawn or drew_since(before)
        return result

    train = subject.target.mode == "train"
    return make_calls(function, call_compiled, calls, train=train, seed=seed), drawn


def _is_chance(subject: Subject, seed: int, limit: float) -> bool:
    """Whether two eager runs differ as much."""
    pair = _pair(subject, seed)
    if pair is None:
        return False
    _, sets = subject.sets_of(pair[0], seed)
    calls = [call for calls in sets for call in calls]
    one, two = (_run(subject, side.function, side.function, copy.deepcopy(calls), seed)[0] for side in pair)
    return any(_apart(a, b, subject)[0] > limit for a, b in zip(one.calls, two.calls, strict=False))


def _apart(eager: Snapshot, compiled: Snapshot, subject: Subject) -> tuple[float, float, str]:
    """The worst error of a call against its limit, and where."""
    worst = (0.0, _limit(torch.float32, subject, False), "")
    apart = whole = 0.0
    for pair in pairs(eager, compiled):
        if pair.name.startswith("gradient of ") and not pair.text:
            apart += float((pair.first.double() - pair.second.double()).square().sum())
            whole += float(pair.first.double().square().sum())
            continue
        error = math.inf if pair.text else _error(pair)
        limit = _limit(pair.dtype or torch.float32, subject, False)
        if error / limit > worst[0] / worst[1]:
            worst = (error, limit, pair.name)
    if whole:
        error, limit = math.sqrt(apart / whole), _limit(torch.float32, subject, True)
        if not error / limit <= worst[0] / worst[1]:
            worst = (error if error == error else math.inf, limit, "the gradients")
    return worst


def _error(pair: Pair) -> float:
    """The norm of the difference as a share of eager's own norm; of what is counted, equal (0) or not."""
    first, second = pair.first, pair.second
    if first.is_complex():
        first, second = torch.view_as_real(first), torch.view_as_real(second)
    if not first.is_floating_point() or not first.numel():
        return 0.0 if torch.equal(first, second) else math.inf
    first, second = first.double(), second.double()
    same = (first == second) | (first.isnan() & second.isnan())
    apart = torch.where(same, 0.0, first - second).norm().item()
    size = max(torch.where(first.isfinite(), first, 0.0).norm().item(), _FLOOR * math.sqrt(first.numel()))
    return apart / size if apart == apart else math.inf


def _limit(dtype: torch.dtype, subject: Subject, gradient: bool) -> float:
    """What rounding may do to a result that was computed in this dtype."""
    limit = _LIMITS.get(dtype.to_real() if dtype.is_complex else dtype, _LIMITS[torch.float32])
    if subject.config.amp:
        limit = max(limit, _LIMITS[torch.bfloat16])
    if subject.settings.device == "cuda" and dtype is torch.float32 and torch.backends.cudnn.allow_tf32:
        limit = max(limit, _TF32)
    return limit * _GRADIENTS if gradient and not subject.config.amp else limit
