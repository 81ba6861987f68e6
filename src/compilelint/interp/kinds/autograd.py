"""`requires_grad_` on tensors and modules: only a call that changes the flag ends the graph. And what takes a function.

Measured with torch 2.13.0 and 2.15.0: on parameters, buffers and inputs a call that changes nothing traces; on what the
region computes, switching on breaks where the tensor did not need a gradient anyway and leaves the region. Writing
`t.requires_grad = ...` always breaks and is not decided here.
"""

from __future__ import annotations

from dataclasses import replace

from compilelint.interp.core.args import Args
from compilelint.interp.core.frame import Frame
from compilelint.interp.core.perform import Operation, Use, rule
from compilelint.interp.core.refusals import refusal, refused
from compilelint.model import Doubt
from compilelint.syntax import ir
from compilelint.syntax.walk import statements_of
from compilelint.torchfacts import Fact
from compilelint.values import Const, External, Origin, OriginKind, Source, Tensor, Value

_ON = "torch.Tensor.requires_grad_"
_LEAKED = "GB8985"  # "requires_grad_() intermediate leaked as output"
_OF_FUNCTION = "GB0055|torch.autograd.functional of a function"  # "Failed to convert args/kwargs to proxy"
_FAR = 12  # steps back from a value


def switched(f: Frame, t: Tensor, args: Args, outcome: Fact | None) -> tuple[Tensor, Fact | None]:
    """The tensor as sure as the break is, and the fact for `t.requires_grad_(...)`; `outcome` is what arguments say."""
    wanted = _wanted(args)
    if wanted is None:
        return t, outcome
    if t.source is Source.PARAMETER:
        # It needs a gradient already, unless it was frozen.
        return _less_sure(t), None if wanted else f.interp.facts.callable(_ON)
    if t.origin is not None and t.origin.kind is OriginKind.LEAF and wanted:
        return t, None
    if t.source is Source.INPUT:
        return _less_sure(t), outcome  # as data does not, unless the caller asked for it
    if wanted and t.source is Source.COMPUTED:
        return t, None if needs_gradient(f, t.origin) or _stays_inside(f) else _leaked(f, outcome)
    return t, outcome


@rule(Operation.GET_ATTRIBUTE, Tensor)
def _history_read(use: Use) -> Value | None:
    (t,) = use.operands
    computed = use.name == "grad_fn" and isinstance(t, Tensor) and t.source is Source.COMPUTED
    if not computed or not isinstance(t, Tensor) or not needs_gradient(use.frame, t.origin):
        return None
    return refused(use.frame, "GB0104", ".grad_fn", (t,), use.pos)


def _leaked(f: Frame, outcome: Fact | None) -> Fact | None:
    """The fact under the id that Dynamo gives a computed tensor, which it refuses only where it leaves the region."""
    if outcome is None or not outcome.breaks or f.interp.facts.graph_break(_LEAKED) is None:
        return outcome
    return replace(outcome, verdict=replace(outcome.verdict, gb_id=_LEAKED), forms=())


def of_function(f: Frame, name: str, args: Args, outcome: Fact | None) -> Fact | None:
    """The fact on `torch.autograd.functional.jacobian(f, x)` and its like, where `f` is no function of torch.

    Measured on 2.13 and 2.15: a function, a lambda or a module ends the graph, `torch.sin` fails the compilation.
    """
    if outcome is None or not outcome.raises or not name.startswith("torch.autograd.functional."):
        return outcome
    if isinstance(args.get(0, "func"), External):
        return outcome
    fact = refusal(f, _OF_FUNCTION)
    if fact is None:
        return outcome
    return replace(outcome, verdict=replace(outcome.verdict, gb_id=fact.gb_id, raises=fact.raises), forms=())


def module_switched(f: Frame, args: Args) -> Fact | None:
    """The fact for `module.requires_grad_(...)` on a module from outside: freezing changes its parameters."""
    found = f.interp.facts.callable(_ON)
    if _wanted(args) is not False or found is None:
        return None
    return replace(found, mixed=True)  # not where they are frozen already


def made(result: Value, args: Args) -> Value:
    """The result of a torch function, marked if it was asked to need a gradient (`torch.zeros(3, requires_grad=True)`).

    `requires_grad=self.training` counts: what switches it on again mostly stands behind the same test.
    """
    given = args.keywords.get("requires_grad")
    if given is None or (isinstance(given, Const) and not given.value):
        return result
    if not isinstance(result, Tensor) or result.origin is None:
        return result
    return result.but(origin=replace(result.origin, kind=OriginKind.LEAF))


def asked(result: Value, args: Args) -> Value:
    """What `t.requires_grad_()` gives in a host: a tensor that needs a gradient wherever it goes."""
    if not _wanted(args) or not isinstance(result, Tensor) or result.origin is None:
        return result
    return result.but(origin=replace(result.origin, kind=OriginKind.LEAF))


def _wanted(args: Args) -> bool | None:
    given = args.get(0, "requires_grad")
    if given is None:
        return True
    return given.value if isinstance(given, Const) and isinstance(given.value, bool) else None


def _less_sure(t: Tensor) -> Tensor:
    return t.but(confidence=Doubt.GRADIENT_UNKNOWN.lower(t.confidence))


def _stays_inside(f: Frame) -> bool:
    """Whether all that the function returns is cut off from the gradient: then nothing of it leaves with one."""
    returned = (
        [] if f.function is None else [s.value for s in statements_of(f.function.node.body) if isinstance(s, ir.Return)]
    )
    return bool(returned) and all(
        isinstance(value, ir.Call) and isinstance(value.func, ir.Attr) and value.func.name in _CUTTING
        for value in returned
    )


_CUTTING = ("detach", "item", "tolist")


def needs_gradient(f: Frame, origin: Origin | None) -> bool:
    """Whether a gradient flows through a computed tensor: it comes from parameters, and nothing cuts it off."""
    quiet = f.function is not None and f.function.decorated("no_grad", "inference_mode")
    if quiet or "with" in f.around.blocks:
        return False
    for _ in range(_FAR):
        if origin is None:
            return False
        if origin.kind in (OriginKind.OWNED, OriginKind.LAYER, OriginKind.LEAF):
            return True
        cut = origin.kind is OriginKind.RESULT and _cuts(origin.what)
        if cut or (origin.kind is OriginKind.ATTRIBUTE and origin.what == ".data") or origin.kind is OriginKind.MADE:
            return False
        origin = origin.parent
    return False


def _cuts(operation: str) -> bool:
    """Whether no gradient flows through an operation, given as its origin names it."""
    name = operation.rpartition(".")[2]
    return name in ("detach", "detach_") or name.endswith("_like") or name.startswith("new_")
