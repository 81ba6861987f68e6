"""Calls of functions under `torch._dynamo.nonstrict_trace`, which take and give back what a graph can hold.

Measured on torch 2.13 and 2.15: tensors, numbers, texts, modules, and containers of them may go in; an object of a
class that `torch.utils._pytree` does not know, or a function, ends the graph. Numbers may come back, texts and such
objects may not. An object of a class under `register_constant` may go in, unless the region made it.
"""

from __future__ import annotations

from collections.abc import Callable

from compilelint.interp.core.args import Args
from compilelint.interp.core.frame import Frame
from compilelint.interp.core.refusals import refusal
from compilelint.project.classes import ClassInfo
from compilelint.syntax import ir
from compilelint.syntax.facts import plain_statements
from compilelint.syntax.walk import last_name
from compilelint.torchfacts import Fact
from compilelint.values import (
    BoundMethod,
    ClassRef,
    Const,
    External,
    FunctionRef,
    Mapping,
    Object,
    Partial,
    Scalar,
    Sequence,
    Value,
    arms,
)

_INPUT = "GB0236"  # "Invalid input type for nonstrict_trace-ed function"
_OUTPUT = "GB0251"  # "Unsupported output type for nonstrict_trace-ed function"
_CONSTANT = "GB0238"  # "Input marked with `pytree.register_constant` constructed in the `torch.compile` region"
_NUMBER = "GB0208"  # "torch.* op returned non-Tensor"
_CALLABLES = (FunctionRef, BoundMethod, External, ClassRef, Partial)
_REGISTERING = frozenset({"register_dataclass", "register_pytree_node", "register_constant", "register_opaque_type"})


def refused(f: Frame, args: Args, result: Callable[[], Value]) -> Fact | None:
    """The fact on such a call; `result` evaluates the function without a report."""
    for value in args.all():
        for part in _leaves(value):
            if isinstance(part, Object) and isinstance(part.cls, ClassInfo):
                how = _registered(part.cls)
                if how == "register_constant" and part.inside:
                    return refusal(f, _CONSTANT)
                if is_unregistered(part.cls):
                    return refusal(f, _INPUT)
            elif isinstance(part, _CALLABLES):
                return refusal(f, _INPUT)
    return refusal(f, _OUTPUT) if any(map(_cannot_come_back, _leaves(result()))) else None


def number_returned(f: Frame, result: Value) -> Fact | None:
    """The fact on a call of a custom operator that gives a Python number, which no graph holds."""
    is_number = isinstance(result, Scalar) and result.kind in ("int", "float", "bool")
    return refusal(f, _NUMBER) if is_number else None


def _cannot_come_back(value: Value) -> bool:
    if isinstance(value, Object) and isinstance(value.cls, ClassInfo):
        return is_unregistered(value.cls)
    return isinstance(value, (Const, Scalar)) and (
        (isinstance(value, Const) and isinstance(value.value, str))
        or (isinstance(value, Scalar) and value.kind == "str")
    )


def _leaves(value: Value) -> list[Value]:
    """What lies in tuples, lists and dicts of known content; of several alternatives nothing is claimed."""
    if isinstance(value, Sequence) and value.items is not None:
        return [leaf for item in value.items for leaf in _leaves(item)]
    if isinstance(value, Mapping):
        return [leaf for _, item in value.entries for leaf in _leaves(item)]
    found = arms(value)
    return list(found) if len(found) == 1 else []


def is_unregistered(cls: ClassInfo) -> bool:
    """Whether a graph can hold no object of a class: it is a plain one, and no registration makes it known."""
    return not _registered(cls) and _is_plain(cls)


def _is_plain(cls: ClassInfo) -> bool:
    """Whether a class is one that only a registration would make known."""
    return not (cls.is_module or any(one for one in cls.external_bases if one != "builtins.object"))


def _registered(cls: ClassInfo) -> str:
    """The function of `torch.utils._pytree` that the class's own module calls with it, or that decorates it."""
    for decorator in cls.node.decorators:
        if last_name(decorator) in _REGISTERING:
            return last_name(decorator)
    for s in plain_statements(cls.module.ir):
        if isinstance(s, ir.ExprStmt) and isinstance(s.value, ir.Call) and last_name(s.value.func) in _REGISTERING:
            first = s.value.args[0] if s.value.args else None
            if isinstance(first, ir.Name) and first.id == cls.node.name:
                return last_name(s.value.func)
    return ""
