"""Base models of transformers by model type: the configuration cut as small as it stands, inputs by the signature.

The library is imported with this module, so that the targets of one worker share it.
"""

from __future__ import annotations

import functools
import inspect
from typing import Any

import torch
import transformers
import transformers.modeling_utils
from transformers.models.auto.configuration_auto import CONFIG_MAPPING
from transformers.models.auto.modeling_auto import MODEL_MAPPING_NAMES

from benchmarks.fleet.inputs import Knobs, asked, inputs_of
from benchmarks.fleet.recipe import Call, NoRecipeError, Reasons, one_line, quiet, refuse_large
from benchmarks.fleet.shrinking import cuts, small

_ATTEMPTS = 6


def names() -> list[str]:
    """Every model type that has a base model."""
    return sorted(MODEL_MAPPING_NAMES)


def model(name: str) -> tuple[Any, list[Call]]:
    """The base model of a type, random weights, and two calls. Raises NoRecipeError."""
    quiet("transformers")
    found = MODEL_MAPPING_NAMES[name]
    kind = getattr(transformers, found if isinstance(found, str) else found[0])
    reasons = Reasons("no cut of its configuration builds")
    for cut in cuts():
        try:
            torch.manual_seed(0)
            config = small(CONFIG_MAPPING[name](), cut)
            refuse_large(functools.partial(kind, config))
            made = kind(config).eval()
        except Exception as error:  # noqa: BLE001 - a library's own constructors: the next cut may do
            reasons.add(error)
            continue
        calls, last = _called(made, config)
        if calls:
            return made, calls
        reasons.add(last, built=True)
    raise NoRecipeError(f"{name}: {reasons}")


def _called(made: Any, config: Any) -> tuple[list[Call], str]:
    """Two calls that eager runs; without them, what the last attempt raised."""
    knobs: Knobs = {}
    parameters = set(inspect.signature(made.forward).parameters)
    last = ""
    for _ in range(_ATTEMPTS):
        given: dict[str, Any] = {}
        try:
            given = inputs_of(made, config, 2, 7, knobs)
            with torch.no_grad():
                made(**given)
            return [((), given), ((), inputs_of(made, config, 3, 11, knobs))], ""
        except Exception as error:  # noqa: BLE001 - of the library's code: it says what is missing
            last = one_line(error)
            further = asked(str(error), knobs, given, parameters)
            if further is None:
                return [], last
            knobs = further
    return [], last
