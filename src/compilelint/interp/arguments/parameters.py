"""What is believed about the parameters of a function before any call of it is known.

In order: what the annotation promises, what the body does with the parameter, its default, and its name as the last
resort. Does not belong here: what a call passes (`binding`).
"""

from __future__ import annotations

from compilelint.interp.arguments import items_by_name
from compilelint.interp.arguments.operator_arguments import operator_given
from compilelint.interp.core.binding import widened
from compilelint.interp.core.frame import Frame
from compilelint.interp.kinds import class_attributes, items
from compilelint.interp.text import usage
from compilelint.interp.text.asked_attributes import class_meant
from compilelint.model import Confidence, Doubt
from compilelint.project.classes import FunctionInfo
from compilelint.syntax import ir
from compilelint.values import (
    NONE,
    UNKNOWN,
    ClassRef,
    Const,
    Instance,
    Mapping,
    Object,
    Origin,
    OriginKind,
    Scalar,
    Sequence,
    Source,
    Tensor,
    Unknown,
    Value,
    arms,
    join,
    join_all,
)


def parameters(frame: Frame, code: FunctionInfo, receiver: Value | None) -> dict[str, Value]:
    """What is believed about the parameters of a function that no known code calls."""
    names: dict[str, Value] = {}
    bound = receiver is not None and not code.decorated("staticmethod")
    if bound and isinstance(receiver, Object) and code.decorated("classmethod"):
        receiver = ClassRef(receiver.cls)
    for i, p in enumerate(code.node.params):
        if i == 0 and bound and receiver is not None and p.kind in ("positional", "either"):
            names[p.name] = receiver
        elif p.kind == "star":
            names[p.name] = Sequence("tuple", None, _element(frame, code, p))
        elif p.kind == "double-star":
            names[p.name] = Mapping((), _element(frame, code, p))
        else:
            names[p.name] = widened(parameter(frame, code, p))
    return names


def _element(frame: Frame, code: FunctionInfo, p: ir.Param) -> Value:
    """Any one of the arguments that `*args` or `**kwargs` gather."""
    if p.annotation is None:
        return UNKNOWN
    origin = frame.origin(f"`{p.name}`", p.annotation.pos, kind=OriginKind.ARGUMENT)
    return frame.interp.annotated(code.module, p.annotation, origin)


def parameter(frame: Frame, code: FunctionInfo, p: ir.Param) -> Value:
    """A parameter by annotation, use, default, and name as the last resort."""
    stated_at = code.node.head if p.annotation is None else p.annotation.pos
    origin = frame.origin(f"`{p.name}`", stated_at, kind=OriginKind.ARGUMENT)
    value: Value = UNKNOWN
    if p.annotation is not None:
        value = named_argument(frame.interp.annotated(code.module, p.annotation, origin), p.name, origin)
        value = items_by_name.item(frame, code, p.name, value, origin)
    if isinstance(value, Unknown):
        if code.owner is not None and code.owner.is_autograd_function:
            return _of_autograd_function(code, p, origin)
        value = _by_use_or_name(frame, code, p, origin)
        if isinstance(value, Unknown) and isinstance(p.default, ir.Const) and p.default.value is not None:
            return class_attributes.softened(Const(p.default.value))
    return _beside_default(value, p)


def _beside_default(value: Value, p: ir.Param) -> Value:
    """A parameter of which something is known already, and what its default adds."""
    default = p.default
    if isinstance(default, ir.Const) and default.value is None:
        return join(value, NONE)
    if isinstance(value, Scalar) and isinstance(default, ir.Const):
        usually = class_attributes.softened(Const(default.value))
        return usually if isinstance(usually, Scalar) and usually.kind == value.kind else value
    if default is not None and len(arms(value)) > 1:
        return items.doubted(value, Doubt.DEFAULT_IS_NO_TENSOR)
    return value


def _by_use_or_name(frame: Frame, code: FunctionInfo, p: ir.Param, origin: Origin) -> Value:
    """A tensor, if the body treats the parameter as one or it is called like one; else unknown."""
    # In a library, a method's name proves nothing of an argument that a caller of ours passes on.
    found = usage.evidence(code).get(p.name) if code.module.linted else None
    if found is not None:
        return _argument(f"`{p.name}`: {found}", origin, Doubt.USED_LIKE_A_TENSOR.cap)
    asked = code.module.linted and p.annotation is None
    meant = frame.interp.answer(class_meant, code, p.name, frame.interp.program) if asked else None
    if meant is not None:
        return Object(meant)
    operator = frame.interp.answer(operator_given, code, p.name)
    if operator:
        return _argument(f"`{p.name}`: the operator `{operator}` takes a tensor", origin, Doubt.TAKEN_BY_OPERATOR.cap)
    if code.decorated("setter"):  # `value` is what every setter calls it
        return UNKNOWN
    if p.annotation is None and p.default is None and _is_compared_by_loss(code, p):
        return _argument(f"`{p.name}`, which a loss of torch compares", origin, Doubt.COMPARED_BY_LOSS.cap)
    none_by_default = isinstance(p.default, ir.Const) and p.default.value is None
    if p.annotation is None and usage.named_like_a_tensor(code, p) and (p.default is None or none_by_default):
        is_forward = code.node.name == "forward" and code.owner is not None and code.owner.is_module
        is_compiled = frame.context.caller is None and frame.context.root_kind in ("explicit", "all")
        fills = frame.context.root_kind == "class"  # what it stores is asked for, and that is used as a tensor
        near = is_forward or fills or (is_compiled and not none_by_default)
        doubt = Doubt.NAMED_LIKE_A_TENSOR if near else Doubt.NAMED_LIKE_A_TENSOR_ELSEWHERE
        return _argument(f"`{p.name}`, a tensor by its name", origin, doubt.cap)
    return UNKNOWN


def _is_compared_by_loss(code: FunctionInfo, p: ir.Param) -> bool:
    """Whether it is one of the two tensors that `forward` of a subclass of torch's losses is called with."""
    owner = code.owner
    if owner is None or code.node.name != "forward" or p not in code.node.params[1:3]:
        return False
    return any(base.rpartition(".")[2] in ("_Loss", "_WeightedLoss") for base in owner.external_bases)


def _of_autograd_function(code: FunctionInfo, p: ir.Param, origin: Origin) -> Value:
    if p is code.node.params[0] and p.name in ("ctx", "context", "self", "_"):
        return Instance("torch.autograd.function.FunctionCtx", inside=True)
    if code.node.name == "backward":
        return Tensor("", None, Source.INPUT, origin=Origin(p.name, origin.place, kind=OriginKind.GRADIENT))
    found = usage.evidence(code).get(p.name)
    if found is not None:
        return _argument(f"`{p.name}`: {found}", origin, Doubt.USED_LIKE_A_TENSOR.cap)
    if usage.named_like_a_tensor(code, p):
        return _argument(f"`{p.name}`: a tensor by its name", origin, Doubt.NAMED_LIKE_A_TENSOR.cap)
    return UNKNOWN


def _argument(what: str, origin: Origin, sure: Confidence) -> Tensor:
    said = Origin(what, origin.place, kind=OriginKind.ARGUMENT)
    return Tensor("", None, Source.INPUT, confidence=sure, origin=said)


def named_argument(value: Value, name: str, origin: Origin) -> Value:
    """Name the argument in the origin of the tensor that its annotation promises."""
    if isinstance(value, Tensor):
        how = value.origin.how if value.origin is not None else "annotated"
        return value.but(origin=Origin(f"`{name}`, {how}", origin.place, kind=OriginKind.ARGUMENT))
    found = arms(value)
    if len(found) > 1:
        return join_all([named_argument(a, name, origin) for a in found])
    return value
