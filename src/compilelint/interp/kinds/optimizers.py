"""What an optimizer of the program inherits from `torch.optim.Optimizer`: groups of parameters, state by parameter."""

from __future__ import annotations

from compilelint.interp.core.frame import Frame
from compilelint.interp.effects.optimizer_state import is_optimizer
from compilelint.interp.kinds.class_attributes import owned_parameter
from compilelint.project.classes import ClassInfo
from compilelint.values import UNKNOWN, Mapping, Sequence, Value


def inherited(f: Frame, cls: ClassInfo, name: str, pos: int) -> Value | None:
    """An attribute that the base class sets; None for any other."""
    if name not in ("param_groups", "state") or not is_optimizer(cls):
        return None
    if name == "state":  # by parameter; what is kept there is as the optimizer fills it
        return Mapping((), Mapping((), UNKNOWN))
    parameters = Sequence("list", None, owned_parameter(f, "params", pos))
    return Sequence("list", None, Mapping((("params", parameters),), UNKNOWN))
