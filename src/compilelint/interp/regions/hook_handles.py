"""Handles of hooks: what `module.register_forward_hook(...)` gives back, and what happens where it is used.

Measured on torch 2.13: registering a hook on a module ends the graph, so its handle comes back as an object from
outside, of which Dynamo has no picture. It may lie in a local name; to store it in an attribute or to call `remove()`
leaves the frame there, and one that was put into a list leaves it at its end.
"""

from __future__ import annotations

from typing import Final

from compilelint import events
from compilelint.interp.core.frame import Frame
from compilelint.interp.core.judging import if_judged
from compilelint.interp.core.refusals import refusal
from compilelint.model import Doubt
from compilelint.values import TRUE, Instance, Value, arms

HANDLE: Final = "torch.utils.hooks.RemovableHandle"

REGISTERING = frozenset(
    """
    register_forward_hook register_forward_pre_hook register_full_backward_hook register_full_backward_pre_hook
    register_backward_hook
    """.split()
)
"""Methods that modules have and that nothing else has."""

GUESSED: Final = Instance(HANDLE, state=(("guessed", TRUE),))
"""The handle that a method of an unknown value gives back by its name."""

_UNREPRESENTED = "GB0013"  # "Attempted to represent unregistered RemovableHandle"


def contained(f: Frame, value: Value) -> None:
    """A handle is put into a container, which Dynamo carries out where the traced piece ends: at the last line."""
    body = () if f.function is None else f.function.node.body
    if body:
        used(f, value, "container of handles of hooks", body[-1].pos)


@if_judged
def used(f: Frame, value: Value, what: str, pos: int) -> None:
    """A handle from outside is stored or called: Dynamo must picture it and cannot. Other values pass."""
    if not any(isinstance(arm, Instance) and arm.name == HANDLE and not arm.inside for arm in arms(value)):
        return
    cap = f.around.cap
    if value.key == GUESSED.key:
        f.around.cap = Doubt.USED_LIKE_A_MODULE.lower(cap)
    outcome = refusal(f, _UNREPRESENTED)
    f.emit(events.Syntax(f.site(pos), outcome, what))
    f.broken_by(outcome, splits=False)
    f.around.cap = cap
