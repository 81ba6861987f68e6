"""The block that a model repeats, found by class among the members of its lists of modules."""

from __future__ import annotations

from typing import Any

import torch

_LISTS = (torch.nn.ModuleList, torch.nn.Sequential, torch.nn.ModuleDict)


def repeated_blocks(model: Any) -> tuple[str, list[torch.nn.Module]]:
    """The class that holds most parameters among those that a list has several of, and all its members in lists.

    Containers and single layers are no blocks. Empty where nothing is repeated.
    """
    if not isinstance(model, torch.nn.Module):
        return "", []
    members: dict[type, dict[int, torch.nn.Module]] = {}
    repeated: set[type] = set()
    for holder in model.modules():
        if not isinstance(holder, _LISTS):
            continue
        found = [one for one in holder.children() if not isinstance(one, _LISTS) and any(True for _ in one.children())]
        for one in found:
            members.setdefault(type(one), {})[id(one)] = one
            if sum(type(other) is type(one) for other in found) > 1:
                repeated.add(type(one))
    if not repeated:
        return "", []
    best = max(repeated, key=lambda kind: sum(map(_size, members[kind].values())))
    return best.__name__, [*members[best].values()]


def _size(module: torch.nn.Module) -> int:
    return sum(one.numel() for one in module.parameters())
