"""Functions of torch that Dynamo runs by handlers of its own, which refuse what eager Python takes or catches.

Each rule is that of a handler in Dynamo's source, run on torch 2.13 on both sides. A call that fails in eager mode too
ends the graph before it does, within `try` as well.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from compilelint.interp.core.args import Args
from compilelint.interp.core.frame import Frame
from compilelint.interp.core.outcomes import finish
from compilelint.interp.core.perform import Operation, Use, condition, rule
from compilelint.interp.core.refusals import attribute_refused, call_refused, refusal
from compilelint.interp.devices.capture import writes
from compilelint.project.classes import ClassInfo
from compilelint.survey.scopes import expressions, own_expressions
from compilelint.syntax import ir
from compilelint.syntax.walk import dotted_name, statements_of
from compilelint.torchfacts import Fact
from compilelint.values import (
    UNKNOWN,
    ClassRef,
    Const,
    External,
    FunctionRef,
    Instance,
    Mapping,
    Object,
    OriginKind,
    Scalar,
    Sequence,
    Source,
    Tensor,
    Value,
)

_BACKENDS: Final = frozenset({"cpu", "cuda", "mps", "xpu", "mtia", "hpu", "privateuseone", "meta"})
_ENGINE: Final = (
    "torch.autograd.Variable._execution_engine.",
    "torch.autograd.variable.Variable._execution_engine.",
)
_OF_CONTEXT: Final = frozenset({"name", "register_hook", "register_prehook", "metadata"})


@rule(Operation.CALL, External)
def by_function(use: Use) -> Value | None:
    """A call of a function of torch with arguments that are a reason to refuse it."""
    f, name, args = use.frame, use.name, use.args
    if f.modes.silent or args.star is not None or not name.startswith("torch."):
        return None
    if name.startswith(_ENGINE):
        queues = name.endswith(".queue_callback")
        return call_refused(use, "GB0166" if queues else "GB0165|other method of the engine")
    if name == "torch._C._is_cow_tensor":
        return call_refused(use, _shares_on_write(f, args, use.node))
    refuses = _TABLE.get(name)
    return call_refused(use, _written_into(args.keywords.get("out")) if refuses is None else refuses(f, args))


@condition(Operation.CALL, Tensor)
def by_method(use: Use) -> Fact | None:
    """The fact on a call of a method of a tensor."""
    f, name, (t,), args = use.frame, use.name, use.operands, use.args
    if f.modes.silent or args.star is not None or not isinstance(t, Tensor):
        return None
    count = len(args.positional)
    if name == "set_" and count > 1:
        return refusal(f, "GB0128")
    if (name == "add_" and count == 2) or (name == "addcdiv_" and count == 3):
        return refusal(f, "GB0117")  # the old order, in which the factor comes first
    if name == "register_post_accumulate_grad_hook" and t.source is Source.COMPUTED:
        return refusal(f, "GB5821")
    kind = args.get(0, "dtype") if name == "type" else None
    if isinstance(kind, External) and kind.name == "torch.Tensor":
        return refusal(f, "GB7489")  # `torch.FloatTensor`, a dtype and a text are traced
    return None


@condition(Operation.CALL, Instance, names=[f"torch.autograd.function.FunctionCtx.{name}" for name in _OF_CONTEXT])
def context_method(use: Use) -> Fact | None:
    """The fact on a method of the context of an autograd function that Dynamo has no handler for (up to 2.14)."""
    return None if use.frame.modes.silent else refusal(use.frame, "GB0139")


@rule(Operation.CALL, ClassRef)
def tensor_class_made(use: Use) -> Value | None:
    """`Subclass(...)` of a subclass of tensors without a `__new__`: it takes one tensor."""
    f, (ref,), args = use.frame, use.operands, use.args
    cls = ref.cls if isinstance(ref, ClassRef) else None
    if (
        f.modes.silent
        or not isinstance(cls, ClassInfo)
        or not cls.descends_from("torch.Tensor")
        or cls.method("__new__") is not None
    ):
        return None
    known = args.star is None and args.double_star is None
    fits = len(args.positional) == 1 and not args.keywords and not _is_no_tensor(args.positional[0])
    fact = refusal(f, "GB0026") if known and not fits else None
    return None if fact is None else finish(f, use.name, ref, args, use.pos, fact, UNKNOWN)


def _is_no_tensor(value: Value) -> bool:
    return isinstance(value, _NO_TENSOR) or (isinstance(value, Scalar) and value.kind in _PLAIN)


@rule(Operation.GET_ATTRIBUTE, Tensor)
def attribute(use: Use) -> Value | None:
    """An attribute of a tensor or an array."""
    (t,) = use.operands
    if use.frame.modes.silent or not isinstance(t, Tensor):
        return None
    if t.array and use.name == "__version__":
        return attribute_refused(use, "GB0159")
    given = t.origin is not None and t.origin.kind is OriginKind.GRADIENT
    return attribute_refused(use, "GB0102") if given and use.name == "layout" else None


# --------------------------------------------------------------------- functions


def _parameter(f: Frame, args: Args) -> str:
    return "GB0237" if isinstance(args.get(1, "requires_grad"), Tensor) else ""


def _device_module(f: Frame, args: Args) -> str:
    if len(args.all()) > 1 or not args.keywords.keys() <= {"device"}:
        return "GB0248"
    return "GB0286" if _is_unknown_backend(args.get(0, "device")) else ""


def _current_stream(f: Frame, args: Args) -> str:
    if len(args.all()) > 1 or not args.keywords.keys() <= {"device"}:
        return "GB0285"
    return "GB0249" if _is_unknown_backend(args.get(0, "device")) else ""


def _is_unknown_backend(device: Value | None) -> bool:
    if not isinstance(device, Const) or not isinstance(device.value, str):
        return False
    return device.value.partition(":")[0] not in _BACKENDS


def _mode_left(f: Frame, args: Args) -> str:
    return "" if "with" in f.around.blocks else "GB0234"


def _guarded(f: Frame, args: Args) -> str:
    return "GB0360" if isinstance(args.get(0), Tensor) else ""


def _promoted(f: Frame, args: Args) -> str:
    return "GB5195" if any(isinstance(one, _NO_NUMBER) for one in args.positional) else ""


def _repeated(f: Frame, args: Args) -> str:
    value = args.get(0)
    return "GB0243" if isinstance(value, Object) and isinstance(value.cls, ClassInfo) else ""


def _written_into(out: Value | None) -> str:
    """`out=` a column of a tensor; `layouts` and `placement` have the other tensors that it cannot be."""
    return "GB0242" if isinstance(out, Tensor) and out.layout == "strided" else ""


def _shares_on_write(f: Frame, args: Args, node: ir.Expr | None) -> str:
    """`torch._C._is_cow_tensor(t)`: Dynamo knows it of what comes from outside and was left alone since."""
    value = args.get(0)
    if not isinstance(value, Tensor):
        return ""
    if value.source is Source.COMPUTED:
        return "GB0998"
    path = dotted_name(node.args[0]) if isinstance(node, ir.Call) and node.args else None
    if f.function is None or node is None or not path:
        return ""
    for s in statements_of(f.function.node.body):
        for e in expressions(own_expressions(s)):
            if not isinstance(e, ir.Call) or not isinstance(e.func, ir.Attr) or e.pos >= node.pos:
                continue
            if dotted_name(e.func.value) == path and (writes(e.func.name) or e.func.name == "_lazy_clone"):
                return "GB5282" if writes(e.func.name) else "GB8587"
    return ""


_NO_TENSOR = (Const, Mapping, Sequence, Object, FunctionRef, ClassRef)
_PLAIN: Final = ("int", "float", "str", "bool")
_NO_NUMBER = (Mapping, Sequence, Object, Instance, FunctionRef, ClassRef)
_TABLE: Final[dict[str, Callable[[Frame, Args], str]]] = {
    "torch.nn.Parameter": _parameter,
    "torch.get_device_module": _device_module,
    "torch.accelerator.current_stream": _current_stream,
    "torch.cuda.current_stream": _current_stream,
    "torch._C._pop_torch_function_stack": _mode_left,
    "torch.overrides._pop_mode": _mode_left,
    "torch.fx.experimental.symbolic_shapes.guard_scalar": _guarded,
    "torch._prims_common.elementwise_dtypes": _promoted,
    **{f"torch.nn.{name}": _repeated for name in ("_single", "_pair", "_triple", "_quadruple")},
}
