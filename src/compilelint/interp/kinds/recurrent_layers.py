"""Recurrent layers of torch: Dynamo refuses to look at one that comes from outside, whatever is asked of it."""

from __future__ import annotations

from typing import Final

from compilelint import events
from compilelint.interp.core.frame import Frame
from compilelint.model import Doubt
from compilelint.values import Instance, Value, arms

_NAMES: Final = ("torch.nn.LSTM", "torch.nn.GRU", "torch.nn.RNN")


def is_recurrent(value: Value) -> bool:
    """Whether it is such a layer that was made outside of the region."""
    return isinstance(value, Instance) and value.name in _NAMES and not value.inside


def looked_at(f: Frame, value: Value, how: str, pos: int) -> None:
    """Something is asked of a value that may be such a layer: its class, an attribute, whether it is None."""
    found = next(filter(is_recurrent, arms(value)), None)
    if not isinstance(found, Instance) or f.modes.silent or f.state is None:
        return
    cap = f.around.cap
    if found is not value:  # it is one of several layers
        f.around.cap = Doubt.ONE_OF_SEVERAL.lower(cap)
    outcome = f.interp.facts.layer(found.name)
    f.emit(events.Attribute(f.site(pos), outcome, f"{found.name}.{how}", found, False))
    f.broken_by(outcome)
    f.around.cap = cap
