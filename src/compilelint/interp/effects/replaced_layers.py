"""`self.expert = nn.Linear(4, 4, bias=False)`: a layer of torch that takes the place of another in the region.

Measured on 2.13 and 2.15: a layer of the same class that is made of the same constants passes the guard on the first,
although its parameters are others; one made of other constants does not.
"""

from __future__ import annotations

from typing import Final

from compilelint.interp.effects.tensor_guards import constructed
from compilelint.project.classes import ClassInfo
from compilelint.syntax import ir
from compilelint.syntax.walk import dotted_name
from compilelint.values import Instance, Value

_ON: Final = frozenset({"bias", "affine", "elementwise_affine", "track_running_stats"})  # without an argument


def made_otherwise(owner: object, name: str, initial: Value | None, rhs: ir.AugAssign | ir.Expr | None) -> bool:
    """Whether a layer is stored where the constructor put one of the same class, made of other constants."""
    of_torch = isinstance(initial, Instance) and initial.name.startswith("torch.nn.")
    if not of_torch or not isinstance(owner, ClassInfo) or not isinstance(rhs, ir.Call):
        return False
    before = list(constructed(owner, name))
    if len(before) != 1 or not isinstance(before[0], ir.Call) or dotted_name(before[0].func) != dotted_name(rhs.func):
        return False
    first, second = _constants(before[0]), _constants(rhs)
    if first is None or second is None:
        return False
    return any(first[key] != second[key] for key in first.keys() & second.keys()) or any(
        (first | second)[key] is False for key in (first.keys() ^ second.keys()) & _ON
    )


def _constants(made: ir.Call) -> dict[object, object] | None:
    """The arguments of a call by place and name; None unless all are constants."""
    given: list[tuple[object, ir.Expr]] = [*enumerate(made.args), *made.keywords]
    if not all(isinstance(value, ir.Const) for _, value in given):
        return None
    return {key: value.value for key, value in given if isinstance(value, ir.Const)}
