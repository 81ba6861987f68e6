"""What is asked of `super()` beside calling its methods.

Measured on torch 2.13 and 2.15: an attribute of the parent class that is an object and is called ends the graph;
`hasattr(super(), name)` and `getattr(super(), name, default)` do, from 2.15 on only where no parent has the name. In a
method of an `autograd.Function` any `super().name` raises an error of Dynamo's own, which stands for the class by an
object that `super` does not take: not so in `apply`, which is not entered, nor in a `backward` that is a class method.
"""

from __future__ import annotations

from typing import Final

from compilelint import events
from compilelint.interp.core.class_members import member_value
from compilelint.interp.core.frame import Frame
from compilelint.interp.core.judging import if_judged
from compilelint.interp.core.perform import Operation, Use, rule
from compilelint.interp.core.refusals import call_refused, refusal, refused
from compilelint.project.classes import Assigned, ClassInfo
from compilelint.syntax import ir
from compilelint.syntax.walk import last_name
from compilelint.values import External, Object, Value

_NO_METHOD: Final = "GB0006"  # "Attempted to call a super() attribute that is not a function or method"
_HASATTR: Final = "GB0150|hasattr of super()"  # "Unsupported hasattr call"
_HASATTR_LACKING: Final = "GB0150|hasattr of super(), which lacks it"
_IN_FUNCTION: Final = "super() in an autograd function"
_OF_MODULES: Final = frozenset({"torch.nn.Module", "builtins.object"})


def called(f: Frame, owner: ClassInfo, parent: ClassInfo, name: str, pos: int) -> bool:
    """Whether `super().name(...)` calls an object that the body of a parent class binds."""
    bound = parent.members.get(name)
    if not bound or not isinstance(bound[-1], Assigned):
        return False
    value = member_value(f, parent, bound, name)
    if not isinstance(value, Object) or f.modes.silent:
        return False
    refused(f, _NO_METHOD, f"super().{name}()", (value,), pos)
    return True


@if_judged
def in_autograd_function(f: Frame, holder: ir.Call, pos: int) -> None:
    """`super().name` in a method of an `autograd.Function` that Dynamo enters: compiling fails with it."""
    method = f.function
    if f.modes.host or f.state is None or f.owner is None or method is None or not f.owner.is_autograd_function:
        return
    by_class = method.decorated("classmethod")
    if method.node.name == "apply" or (by_class and method.node.name == "backward"):
        return
    if not by_class and not holder.args:  # Python itself finds no class in a static method
        return
    fact = refusal(f, _IN_FUNCTION)
    f.emit(events.Syntax(f.site(pos), fact, _IN_FUNCTION))
    f.broken_by(fact)


@rule(Operation.CALL, External, names=("builtins.hasattr", "builtins.getattr"))
def asked_by_name(use: Use) -> Value | None:
    """`hasattr(super(), name)`, or `getattr` with a default."""
    f, node = use.frame, use.node
    if (
        not isinstance(node, ir.Call)
        or f.modes.silent
        or f.modes.host
        or f.owner is None
        or len(node.args) != (2 if use.name == "builtins.hasattr" else 3)
    ):
        return None
    holder, name = node.args[0], node.args[1]
    if not (isinstance(holder, ir.Call) and last_name(holder.func) == "super") or not isinstance(name, ir.Const):
        return None
    return call_refused(use, _HASATTR_LACKING if lacks(f, f.owner, str(name.value)) else _HASATTR)


def lacks(f: Frame, owner: ClassInfo, name: str) -> bool:
    """Whether no parent of a class has a name: all are of the program, or torch's plain module."""
    if hasattr(object, name) or any(base not in _OF_MODULES for base in owner.external_bases):
        return False
    if owner.external_bases and name in f.interp.facts.results.of_modules:
        return False
    return all(name not in c.members for c in owner.mro[1:] if isinstance(c, ClassInfo))
