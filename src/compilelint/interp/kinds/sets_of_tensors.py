"""Sets of tensors that come from outside, as an argument, a global or an attribute.

Dynamo takes lists and dicts of tensors apart, but no sets. Measured on torch 2.13 and 2.15: the first use of such a set
leaves the frame to Python, its length included; a set that the region makes itself is traced.
"""

from __future__ import annotations

from compilelint.interp.core.frame import Frame
from compilelint.interp.core.refusals import refused
from compilelint.project.classes import FunctionInfo
from compilelint.survey.scopes import expressions, own_expressions
from compilelint.syntax import ir
from compilelint.syntax.walk import statements_of
from compilelint.values import Sequence, Value, tensor_arm

_SET = "GB0222"  # "Attempted to wrap a set with tensors"


def given(f: Frame, code: FunctionInfo, names: dict[str, Value]) -> None:
    """A root is about to run with these arguments."""
    for name, value in names.items():
        if not isinstance(value, Sequence) or value.kind not in ("set", "frozenset"):
            continue
        items = (value.element,) if value.items is None else value.items
        used = _first_use(code, name) if any(tensor_arm(item) is not None for item in items) else None
        if used is not None:
            refused(f, _SET, f"a set of tensors as argument `{name}`", (value,), used)


def loaded(f: Frame, value: Value, pos: int) -> None:
    """A global or an attribute is read, that the region has not stored."""
    if isinstance(value, Sequence) and value.kind in ("set", "frozenset") and not f.modes.silent:
        items = (value.element,) if value.items is None else value.items
        if any(tensor_arm(item) is item for item in items):
            refused(f, _SET, "a set of tensors from outside", (value,), pos)


def _first_use(code: FunctionInfo, name: str) -> int | None:
    found = [
        e.pos
        for s in statements_of(code.node.body)
        for e in expressions(own_expressions(s))
        if isinstance(e, ir.Name) and e.id == name
    ]
    return min(found, default=None)
