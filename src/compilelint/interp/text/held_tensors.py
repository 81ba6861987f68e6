"""Which methods of plain classes compute with tensors that their object holds, by the text.

A record of tensors (`time: Tensor` in its body) and an object whose constructor keeps or makes some have methods
without a tensor among the parameters, and tensors go through them all the same. Does not belong here: what an attribute
holds (`class_attributes`), and modules, whose parameters belong to their `forward`.
"""

from __future__ import annotations

from compilelint.interp.text.usage import TENSOR_ONLY, computes, expressions_of
from compilelint.project.classes import ClassInfo, FunctionInfo
from compilelint.project.roots import names_tensor
from compilelint.syntax import ir
from compilelint.syntax.facts import fact
from compilelint.syntax.walk import last_name, statements_of

# Functions of torch that make tensors; by last name, since files call the package by several.
_MAKING = frozenset(
    """
    arange empty eye from_numpy full hann_window linspace logspace normal ones rand randint randn randperm tensor zeros
    empty_like full_like ones_like rand_like randn_like zeros_like
    """.split()
)
_UNBOUND = ("staticmethod", "classmethod", "property", "cached_property")


def computes_with_held_tensors(function: FunctionInfo) -> bool:
    """Whether a method of a plain class does with what its object holds what only tensors take part in."""
    owner, node = function.owner, function.node
    if owner is None or owner.is_module or owner.is_autograd_function or not node.params:
        return False
    if any(function.decorated(name) for name in _UNBOUND):
        return False
    used = fact(node, _read if fact(node, _computes) else _called)
    return bool(used) and not used.isdisjoint(_held(owner))


def _held(owner: ClassInfo) -> set[str]:
    """The attributes that the class or a base of it says to be tensors."""
    found: set[str] = set()
    for cls in owner.mro:
        if isinstance(cls, ClassInfo):
            found.update(name for name, annotation in cls.annotations.items() if names_tensor(annotation))
            init = cls.own("__init__")
            if init is not None:
                found |= fact(init.node, _kept)
    return found


def _kept(init: ir.Function) -> frozenset[str]:
    """The attributes that a constructor binds to a parameter annotated with a tensor, or to a tensor that it makes."""
    given = {p.name for p in init.params if p.annotation is not None and names_tensor(p.annotation)}
    found: set[str] = set()
    for s in statements_of(init.body):
        if not isinstance(s, ir.Assign):
            continue
        value = s.value
        is_tensor = (isinstance(value, ir.Name) and value.id in given) or (
            isinstance(value, ir.Call) and isinstance(value.func, ir.Attr) and last_name(value.func) in _MAKING
        )
        if is_tensor:
            found.update(one.name for one in s.targets if isinstance(one, ir.Attr) and _is_self(one.value))
    return frozenset(found)


def _read(node: ir.Function) -> frozenset[str]:
    """The attributes of the object that a body names."""
    return frozenset(e.name for e in expressions_of(node.body) if isinstance(e, ir.Attr) and _is_self(e.value))


def _called(node: ir.Function) -> frozenset[str]:
    """Those of them of which it calls a method that tensors have."""
    methods = (e.func for e in expressions_of(node.body) if isinstance(e, ir.Call) and isinstance(e.func, ir.Attr))
    owners = (method.value for method in methods if method.name in TENSOR_ONLY)
    return frozenset(one.name for one in owners if isinstance(one, ir.Attr) and _is_self(one.value))


def _computes(node: ir.Function) -> bool:
    return any(computes(e) for e in expressions_of(node.body))


def _is_self(value: ir.Expr) -> bool:
    return isinstance(value, ir.Name) and value.id == "self"
