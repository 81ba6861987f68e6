"""A parameter that is annotated as a number and is called like one item of a tensor that its own class holds.

`def step(self, timestep: int)` beside `self.timesteps = torch.arange(n)`: callers loop over that tensor, and each item
of it is a tensor too, which no annotation changes. A method that takes items of it by the parameter, or counts with
`range(timestep)`, means a number. Does not belong here: what the body does with a parameter otherwise (`usage`).
"""

from __future__ import annotations

from compilelint.interp.core.frame import Frame
from compilelint.interp.kinds.class_attributes import stored_attribute
from compilelint.interp.text.usage import expressions_of
from compilelint.model import Doubt
from compilelint.project.classes import ClassInfo, FunctionInfo
from compilelint.syntax import ir
from compilelint.syntax.facts import fact
from compilelint.values import Origin, OriginKind, Scalar, Source, Tensor, Union, Value, join_all, tensor_arm

_NUMBERS = frozenset({"int", "float"})


def item(f: Frame, code: FunctionInfo, name: str, value: Value, origin: Origin) -> Value:
    """The parameter as a tensor, where its class holds several of its name; else as it was believed to be."""
    owner = code.owner
    if owner is None or f.modes.silent or not _is_number(value):
        return value
    held = f"{name}s"
    if not any(held in c.stored_in for c in owner.mro if isinstance(c, ClassInfo)) or name in fact(
        code.node, _counting
    ):
        return value
    tensor = tensor_arm(stored_attribute(f, owner, held) or value)
    if not isinstance(tensor, Tensor) or tensor.array or tensor.rank not in (None, 1):
        return value
    said = Origin(f"`{name}`, an item of `self.{held}`", origin.place, kind=OriginKind.ARGUMENT)
    sure = Doubt.ANNOTATED_AS_NUMBER.lower(tensor.confidence)
    one = Tensor(tensor.dtype, 0, Source.INPUT, confidence=sure, origin=said)
    rest = value.arms if isinstance(value, Union) else ()
    return join_all([one, *[arm for arm in rest if not _is_number(arm)]])


def _is_number(value: Value) -> bool:
    if isinstance(value, Union):
        return tensor_arm(value) is None and any(_is_number(arm) for arm in value.arms)
    return isinstance(value, Scalar) and value.kind in _NUMBERS


def _counting(node: ir.Function) -> frozenset[str]:
    """Names that a body counts or takes items of its own tensors with, and those whose type it asks for."""
    found: set[str] = set()
    for e in expressions_of(node.body):
        if isinstance(e, ir.Index) and isinstance(e.index, ir.Name):
            if isinstance(e.value, ir.Attr) and e.value.name == f"{e.index.id}s":
                found.add(e.index.id)
        elif isinstance(e, ir.Slice):
            found.update(bound.id for bound in (e.lower, e.upper) if isinstance(bound, ir.Name))
        elif isinstance(e, ir.Call) and isinstance(e.func, ir.Name) and e.func.id in ("range", "isinstance"):
            found.update(a.id for a in e.args if isinstance(a, ir.Name))
    return frozenset(found)
