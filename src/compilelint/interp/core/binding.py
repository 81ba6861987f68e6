"""What the parameters of a function hold in one call: what is passed, as far as its callers should be distinguished."""

from __future__ import annotations

from compilelint.interp.core.args import Args
from compilelint.interp.core.frame import Frame
from compilelint.model import Confidence, Doubt, weakest
from compilelint.project.classes import FunctionInfo
from compilelint.syntax import ir
from compilelint.values import (
    BOTTOM,
    NONE,
    UNKNOWN,
    Const,
    Layout,
    Mapping,
    Scalar,
    Sequence,
    Source,
    Tensor,
    Union,
    Unknown,
    Value,
    arms,
    join_all,
    tensor_arm,
    type_name,
)


def bind(inner: Frame, code: FunctionInfo, receiver: Value | None, args: Args, exact: bool = False) -> dict[str, Value]:
    """Parameters of a call: what is passed, refined by what the annotation says where the caller knows nothing.

    Numbers, sizes and layouts stay what they are where they are `exact`, as in a host: a script has few calls, and
    hands the numbers of one to what it compiles.
    """
    exact = exact or inner.modes.host
    names: dict[str, Value] = {}
    positional = args.positional if receiver is None else [receiver, *args.positional]
    taken = 0
    used: set[str] = set()
    for p in code.node.params:
        kind = p.kind
        if kind in ("positional", "either"):
            if taken < len(positional):
                names[p.name] = _passed(inner, code, p, positional[taken], exact)
                taken += 1
            elif p.name in args.keywords:
                used.add(p.name)
                names[p.name] = _passed(inner, code, p, args.keywords[p.name], exact)
            elif args.star is not None or args.double_star is not None:
                names[p.name] = _perhaps_passed(
                    inner, code, p, args.star if args.star is not None else args.double_star
                )
            else:
                names[p.name] = _default(inner, code, p)
        elif kind == "keyword":
            if p.name in args.keywords:
                used.add(p.name)
                names[p.name] = _passed(inner, code, p, args.keywords[p.name], exact)
            elif args.double_star is not None:
                names[p.name] = _perhaps_passed(inner, code, p, args.double_star)
            else:
                names[p.name] = _default(inner, code, p)
        elif kind == "star":
            rest = tuple(positional[taken:])
            names[p.name] = (
                Sequence("tuple", rest, BOTTOM)
                if args.star is None
                else Sequence("tuple", None, join_all([*rest, args.star]))
            )
        else:
            left = tuple([(k, v if exact else widened(v)) for k, v in args.keywords.items() if k not in used])
            names[p.name] = Mapping(left, args.double_star or BOTTOM, args.double_star is None)
    return names


def accepts(code: FunctionInfo, receiver: Value | None, args: Args) -> bool:
    """Whether a function can be called with these arguments; what stars of unknown length hold may be anything."""
    params = code.node.params
    kinds = {p.kind for p in params}
    given = len(args.positional) + (receiver is not None and not code.decorated("staticmethod"))
    slots = [p for p in params if p.kind in ("positional", "either")]
    if given > len(slots) and "star" not in kinds:
        return False
    by_name = {p.name for p in params if p.kind in ("either", "keyword")}
    if "double-star" not in kinds and any(name not in by_name for name in args.keywords):
        return False
    if any(p.name in args.keywords for p in slots[:given] if p.kind == "either"):
        return False
    missing = [p for p in slots[given:] if p.default is None and p.name not in args.keywords]
    wanted = [p for p in params if p.kind == "keyword" and p.default is None and p.name not in args.keywords]
    if args.double_star is not None:
        return True
    return not wanted and (args.star is not None or not missing)


def _passed(inner: Frame, code: FunctionInfo, p: ir.Param, value: Value, exact: bool = False) -> Value:
    if isinstance(value, Unknown):
        return inner.interp.parameter(inner, code, p)
    if isinstance(value, Union) and p.annotation is not None and UNKNOWN in value.arms:
        promised = inner.interp.parameter(inner, code, p)
        if _known_as_tensor(value) or _agrees(value, promised):
            value = join_all([promised if a is UNKNOWN else a for a in value.arms])
    tensor = tensor_arm(value)
    if (
        tensor is not None
        and tensor.confidence > Confidence.POSSIBLE
        and (p.annotation is not None or p.default is not None)
    ):
        agreed = _agreement(inner, code, p)
        if agreed is not Confidence.CERTAIN:
            value = join_all(
                [a.but(confidence=weakest(a.confidence, agreed)) if isinstance(a, Tensor) else a for a in arms(value)]
            )
    return value if exact else widened(value, inner.context.config.records_cuda_graphs)


def _known_as_tensor(value: Union) -> bool:
    """Whether all that is known of what is passed is that it is a tensor: the annotation may speak for the rest."""
    known = [arm for arm in value.arms if arm is not UNKNOWN]
    return len(known) < len(value.arms) and tensor_arm(value) is not None and len(known) == 1


def _agrees(value: Union, promised: Value) -> bool:
    """Whether what is known of what is passed are plain objects of the types that the annotation promises."""
    kinds = {type_name(arm) for arm in arms(promised) if isinstance(arm, (Const, Scalar))}
    known = [arm for arm in value.arms if arm is not UNKNOWN]
    return all(isinstance(arm, (Const, Scalar)) and type_name(arm) in kinds for arm in known)


def _agreement(inner: Frame, code: FunctionInfo, p: ir.Param) -> Confidence:
    """How far to believe that a tensor is passed where the annotation or default says something else.

    Numbers are often tensors in truth (`timestep: int`); a flag or a list never is, so there our picture of the
    call must be wrong.
    """
    if p.annotation is not None:
        promised_value = inner.interp.annotated(code.module, p.annotation, inner.origin("annotation", code.node.head))
        found = arms(promised_value)
        if any(isinstance(a, (Tensor, Unknown)) for a in found):
            return Confidence.CERTAIN
        numbers = any(isinstance(a, Scalar) and a.kind in ("int", "float") for a in found)
        return (Doubt.ANNOTATED_AS_NUMBER if numbers or not found else Doubt.ANNOTATED_AS_OTHER).cap
    if isinstance(p.default, ir.Const) and isinstance(p.default.value, (bool, str)):
        return Doubt.DEFAULT_IS_A_FLAG.cap
    return Confidence.CERTAIN


def _perhaps_passed(inner: Frame, code: FunctionInfo, p: ir.Param, extra: Value | None) -> Value:
    """A parameter that `*args` or `**kwargs` of unknown length may fill: its own annotation and default say more."""
    if extra is None or p.annotation is not None or p.default is not None:
        return widened(inner.interp.parameter(inner, code, p))
    return _passed(inner, code, p, extra)


_LAYOUTS_KEPT: dict[Layout, Layout] = {"": "", "contiguous": "", "sparse": "sparse", "jagged": "jagged"}


def widened(value: Value, recording: bool = False) -> Value:
    """A number passed to a function: known by type only, or every loop index would make a context of its own.

    Where CUDA graphs are recorded, what lies on the host is known to lie there in the callee, too.
    """
    if isinstance(value, Tensor):
        # Only what the callee's verdicts can hang on, so that most callers share one summary.
        return value.but(
            dtype="" if value.dtype == "float" else value.dtype,
            rank=value.rank if value.rank is not None and value.rank <= 1 else None,
            source=value.source if value.rank == 0 else min(value.source, Source.PARAMETER),
            layout=_LAYOUTS_KEPT.get(value.layout, "strided"),
            device=value.device if recording and value.device == "cpu" else "",
        )
    if isinstance(value, Const) and type(value.value) in (int, float):
        return Scalar(type(value.value).__name__)
    if isinstance(value, Union):
        return join_all([widened(a, recording) for a in value.arms])
    return value


def _default(inner: Frame, code: FunctionInfo, p: ir.Param) -> Value:
    if p.default is None:
        return UNKNOWN
    if isinstance(p.default, ir.Const):
        return NONE if p.default.value is None else Const(p.default.value)
    return inner.interp.default(code, p)
