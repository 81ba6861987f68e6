"""What of a class of `torch.autograd.Function` keeps `apply` out of the graph, beside what its methods do.

Measured on torch 2.13 and 2.15: a `forward` that is no function ends the graph, a `backward` that is none and
`ctx._materialize_non_diff_grads = False` do so where an argument needs a gradient; `set_materialize_grads` and any
other attribute of the context do not. Of the class itself Dynamo reads methods, but neither `__name__` nor
`__subclasses__`.
"""

from __future__ import annotations

from compilelint.interp.core.class_members import member_value
from compilelint.interp.core.frame import Frame
from compilelint.interp.core.refusals import refusal
from compilelint.project.classes import Assigned, ClassInfo, FunctionInfo
from compilelint.syntax import ir
from compilelint.syntax.walk import last_name, statements_of
from compilelint.torchfacts import Fact
from compilelint.values import Object, Partial

_NO_FUNCTION = "GB0346"  # "autograd.Function.apply: non-function or method forward"
_MATERIALIZE = "GB0347"  # "autograd.Function.apply: _materialize_non_diff_grads mutation"


def refused(f: Frame, cls: ClassInfo) -> Fact | None:
    """The fact on `cls.apply(...)`, as far as the class decides it."""
    if _is_object(f, cls, "forward") or _is_object(f, cls, "backward"):
        return refusal(f, _NO_FUNCTION)
    methods = [cls.method(name) for name in ("forward", "setup_context")]
    if any(method is not None and f.interp.answer(_sets_materialize, method) for method in methods):
        return refusal(f, _MATERIALIZE)
    return None


def _is_object(f: Frame, cls: ClassInfo, name: str) -> bool:
    """Whether the class binds a name to an object that is called, and not to a function."""
    found = cls.find(name)
    if found is None or found[0].own(name) is not None or not isinstance(found[1][-1], Assigned):
        return False
    expr = found[1][-1].expr
    if isinstance(expr, ir.Call) and last_name(expr) == "staticmethod" and len(expr.args) == 1:
        return isinstance(f.interp.at_module_level(found[0].module, expr.args[0]), (Object, Partial))
    return isinstance(member_value(f, found[0], found[1], name), (Object, Partial))


def _sets_materialize(method: FunctionInfo) -> bool:
    for s in statements_of(method.node.body):
        for target in s.targets if isinstance(s, ir.Assign) else ():
            if isinstance(target, ir.Attr) and target.name == "_materialize_non_diff_grads":
                return isinstance(s.value, ir.Const) and s.value.value is False if isinstance(s, ir.Assign) else False
    return False
