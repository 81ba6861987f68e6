"""Tensors of classes of the program: `x.as_subclass(Own)`, and what their attributes come to.

Measured on torch 2.13 and 2.15, without a `__torch_dispatch__`: results are of the class too. `_base` is not traced;
neither is an attribute of tensors that the class replaces by something else than a method or a property.
"""

from __future__ import annotations

from typing import Final

from compilelint.interp.core.frame import Frame
from compilelint.interp.core.perform import Operation, Use, rule
from compilelint.interp.core.refusals import attribute_refused
from compilelint.project.classes import Assigned, ClassInfo
from compilelint.values import ClassRef, FunctionRef, Tensor, Value

_BASE: Final = "GB0163"  # "Unsupported tensor subclass attribute access"
_REPLACED: Final = "GB0164"  # "Unsupported tensor subclass overridden attribute access"
_OF_TENSORS: Final = frozenset("shape ndim dtype device layout data grad requires_grad T mT".split())
"""Attributes of every tensor that classes are seen to replace."""


def made(t: Tensor, cls: Value | None, result: Value) -> Value:
    """What `t.as_subclass(cls)` gives."""
    if not isinstance(cls, ClassRef) or not isinstance(cls.cls, ClassInfo):
        return result
    return (result if isinstance(result, Tensor) else t).of_class(cls.cls)


@rule(Operation.GET_ATTRIBUTE, Tensor)
def attribute(use: Use) -> Value | None:
    """An attribute of a tensor of such a class."""
    (t,) = use.operands
    if not isinstance(t, Tensor) or not isinstance(t.cls, ClassInfo) or use.frame.modes.silent:
        return None
    if use.name == "_base":
        return attribute_refused(use, _BASE)
    found = t.cls.find(use.name) if use.name in _OF_TENSORS else None
    replaced = found is not None and isinstance(found[1][-1], Assigned) and not _is_property(found[1][-1])
    return attribute_refused(use, _REPLACED) if replaced else None


def _is_property(bound: Assigned) -> bool:
    func = getattr(bound.expr, "func", None)
    return getattr(func, "id", "") == "property"


def member(f: Frame, t: Tensor, name: str) -> Value | None:
    """A method or a property that the class writes; None where the attribute is that of any tensor."""
    found = t.cls.find(name) if isinstance(t.cls, ClassInfo) else None
    method = None if found is None else found[0].own(name)
    if found is None or method is None or method.node.decorators:
        return None
    return FunctionRef(method, t, found[0].closure)
