"""Optimizers that a program writes: what their base class keeps, and the gradients that a step finds.

Does not belong here: a compiled `step` and schedules over it (`wrappers`).
"""

from __future__ import annotations

from typing import Any

from compilelint.host.iterating import items_of
from compilelint.host.protocol import Machine
from compilelint.host.signals import MOST_ITEMS
from compilelint.host.values import UNKNOWN, Tensor, Thing, Value

_BASE = "torch.optim.Optimizer"


def is_own(value: Value) -> bool:
    """Whether a value is an instance of a class of the program that is an optimizer."""
    return isinstance(value, Thing) and value.cls.descends_from(_BASE, "torch.optim.optimizer.Optimizer")


def made(m: Machine, optimizer: Thing, args: list[Value], keywords: dict[str, Value]) -> None:
    """`super().__init__(params, defaults)`: the groups of parameters, each with its settings."""
    given = args[0] if args else keywords.get("params", UNKNOWN)
    defaults = args[1] if len(args) > 1 else keywords.get("defaults", UNKNOWN)
    items = items_of(m, given, MOST_ITEMS)
    if items is None or not isinstance(defaults, dict):
        return
    groups: list[Any] = [one for one in items if isinstance(one, dict)] or [{"params": items}]
    optimizer.attrs["defaults"] = defaults
    optimizer.attrs["state"] = UNKNOWN
    optimizer.attrs["param_groups"] = [
        {**defaults, **group, "params": _flat(m, group.get("params"))} for group in groups
    ]


def _flat(m: Machine, given: Value) -> Value:
    if isinstance(given, Tensor):
        return [given]
    return items_of(m, given, MOST_ITEMS) or UNKNOWN


def gradient(tensor: Tensor, backwards: int) -> Value:
    """`parameter.grad`, as large as the parameter once a backward pass was made."""
    if not tensor.param or tensor.shape is None or not backwards:
        return UNKNOWN
    return None if tensor.grad is False else Tensor(tensor.shape, tensor.dtype, False, tensor.device)


__all__ = ["gradient", "is_own", "made"]
