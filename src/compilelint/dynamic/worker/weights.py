"""The weights that a program begins with: a changed copy takes over the original's, and must have built the same.

Does not belong here: what either does with its weights (`exercising`).
"""

from __future__ import annotations

import random
import warnings
from collections.abc import Callable, Mapping
from typing import Any

import torch

from compilelint.dynamic.worker.asked import Asked
from compilelint.dynamic.worker.exercising import Runs
from compilelint.dynamic.worker.loading import build, find
from compilelint.dynamic.worker.seeding import seed_torch
from compilelint.dynamic.worker.snapshot import first_differences

Weights = dict[str, torch.Tensor]


def weights_of(function: Any) -> Weights:
    """A copy of what a model saves; nothing of a function."""
    if not isinstance(function, torch.nn.Module):
        return {}
    return {name: tensor.detach().clone() for name, tensor in function.state_dict().items() if torch.is_tensor(tensor)}


def take_over(function: Any, path: str) -> Weights:
    """Start from the weights of an earlier run, as far as names and shapes still agree; all weights of that run."""
    before: Weights = torch.load(path, weights_only=True).get("first_weights", {})
    if isinstance(function, torch.nn.Module):
        own = function.state_dict()
        fitting = {name: one for name, one in before.items() if name in own and own[name].shape == one.shape}
        function.load_state_dict(fitting, strict=False)
    return before


def built_otherwise(wanted: Mapping[str, Any], own: Mapping[str, Any], again: Callable[[], Mapping[str, Any]]) -> Runs:
    """The first weight that is built with other numbers from the same seed, as exercises say what differs.

    `again` builds the copy once more: a weight that differs from itself differs by chance. What only one of both has is
    a matter of names.
    """
    found = {
        name: next(first_differences({name: one}, {name: own[name]}, False), None)
        for name, one in wanted.items()
        if name in own
    }
    differing = {name: pair[1] for name, pair in found.items() if pair is not None}
    repeated = again() if differing else {}
    for name, text in differing.items():
        if name not in repeated or torch.equal(own[name], repeated[name]):
            return [{"kind": "state", "name": name, "text": text, "label": "built from the same seed"}]
    return []


def built_again(asked: Asked, seed: int) -> Weights:
    """The weights of the target built once more, with NaN where nothing was written. Runs the user's code."""
    random.seed(asked.target.seeds[0])
    seed_torch(seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.use_deterministic_algorithms(True, warn_only=True)  # fills memory that is handed out as it is
        return weights_of(build(find(asked.target.model), asked.target.arguments).function)
