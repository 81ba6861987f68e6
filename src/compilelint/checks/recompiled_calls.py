"""CL714 to CL716: calls of a compiled object that a run of the program around it shows to compile again."""

from __future__ import annotations

from collections.abc import Iterator

from compilelint.events import Recompiled
from compilelint.model import Effect, Finding, Rule
from compilelint.rulebook import at, check
from compilelint.torchfacts import TorchFacts

VARIED_ARGUMENT = Rule(
    "CL714",
    "varied-argument",
    "a compiled object is called with arguments that differ in what is guarded",
    Effect.RECOMPILE,
)
SHARED_CODE = Rule(
    "CL715", "shared-code", "instances that share compiled code differ in what it reads", Effect.RECOMPILE
)
OUTSIDE_STATE = Rule(
    "CL716", "outside-state", "state that compiled code reads is changed between its calls", Effect.RECOMPILE
)


def _cost(event: Recompiled, facts: TorchFacts) -> str:
    """How many versions it comes to, and what happens beyond them."""
    if event.refused:
        return f"{event.refused[:1].upper()}{event.refused[1:]} holds there, so the call raises."
    limit = _limit(event, facts)
    if event.symbol and not event.static:
        return "Dynamo compiles it again, as a symbol: 2 versions instead of one."
    beyond = (
        "the next call raises `FailOnRecompileLimitHit`, since it is compiled with `fullgraph=True`"
        if event.fullgraph
        else "the function runs uncompiled"
    )
    return (
        f"Each such value is a version ({event.versions} in this program); after {limit} (`recompile_limit`) {beyond}."
    )


def _limit(event: Recompiled, facts: TorchFacts) -> int:
    return event.limit or int(str(facts.config.get("recompile_limit", 8)))


def _raises(event: Recompiled, facts: TorchFacts) -> list[Effect]:
    """The effect of a call that the stance refuses, or that comes after the limit of a whole graph."""
    beyond = event.fullgraph and event.versions > _limit(event, facts)
    return [Effect.ERROR] if event.refused or beyond else []


def _guarded(event: Recompiled) -> str:
    """What the guard asks, in a sentence."""
    if event.differs == "size":
        return f"size {event.dimension} of `{event.guard}`, first {event.before}, then {event.now}"
    if event.differs in ("dtype", "device", "requires_grad", "stride", "rank"):
        return f"the {event.differs} of `{event.guard}`, first {event.before}, then {event.now}"
    if event.differs == "setting":
        return f"the {event.guard} of the process, first {event.before}, then {event.now}"
    if event.guard == "grad mode":
        return f"the grad mode, first {_mode(event.before)}, then {_mode(event.now)}"
    return f"`{event.guard}`, first {event.before}, then {event.now}"


def _mode(text: str) -> str:
    return "with gradients" if text == "True" else "without"


@check(VARIED_ARGUMENT, on=Recompiled)
def varied_argument(event: Recompiled, facts: TorchFacts) -> Iterator[Finding]:
    """Sizes, numbers, texts, None, keys, lengths and classes that differ from call to call."""
    if event.by != "input":
        return
    yield at(
        VARIED_ARGUMENT,
        event,
        f"this call compiles again: {_title(event)}",
        confidence=event.sure,
        because=[event.compiled_here],
        why=f"Dynamo guards {_guarded(event)}. {_cost(event, facts)}{_RECORDED if _recorded(event) else ''}",
        help=_remedy(event),
        also=[*_raises(event, facts), *([Effect.CUDAGRAPH] if _recorded(event) else [])],
    )


_RECORDED = " A CUDA graph is recorded for every size or number, and none is replayed until one comes again."


def _recorded(event: Recompiled) -> bool:
    """Whether each value is recorded as a CUDA graph of its own."""
    return event.records and event.differs in ("size", "value") and event.symbol


def _title(event: Recompiled) -> str:
    if event.differs == "size":
        return f"size {event.dimension} of `{event.name}` varies"
    if event.differs in ("dtype", "device", "requires_grad", "stride", "rank"):
        return f"the {event.differs} of `{event.name}` varies"
    return f"`{event.name}` varies"


def _remedy(event: Recompiled) -> str:
    if event.differs == "size" and "1" in (event.before, event.now):
        return (
            f"mark it before each call (`torch._dynamo.decorators.mark_unbacked({event.name}, {event.dimension})`), or "
            "pad it to more: a size of 1 is compiled apart even with `dynamic=True`"
        )
    if event.differs == "size":
        return (
            f"call `torch._dynamo.mark_dynamic({event.name}, {event.dimension})` before the first call, compile with "
            "`dynamic=True`, or pad to a few sizes"
        )
    if event.differs == "value":
        return _of_a_number(event)
    if event.differs == "requires_grad":
        return "give all calls inputs that need a gradient, or none, or compile each use by itself"
    if event.differs == "stride":
        return "call `.contiguous()` on the input"
    if event.differs in ("dtype", "device"):
        return f"convert the input to one {event.differs} before the call"
    if event.before.startswith("a dict"):
        return "pass the same keys each time (None for what is missing), and return what is added in place of adding it"
    if event.differs in ("keys", "length"):
        return "pass the same number of items each time, stacked in one tensor where they are alike"
    if event.differs == "type" and {event.before, event.now} == {"a Parameter", "a Tensor"}:
        return f"give all calls parameters, or `{event.name}.detach()`"
    if event.differs == "type" and "None" in (event.before, event.now):
        return (
            "pass a tensor in each call: zeros, or for a cache that grows one of its final size, written in place "
            "(`index_copy_`); or compile a function for each kind of call"
        )
    if event.differs == "type":
        return "pass a tensor in each call (zeros, say), or compile a function for each kind of call"
    return "compile a function for each kind of argument"


def _of_a_number(event: Recompiled) -> str:
    """What to do about a number or text that varies, by what compiled code does with it."""
    name, few = event.name, f"round `{event.name}` up to a few values"
    dynamic = "compile with `dynamic=True`" + (" in place of `dynamic=False`" if event.static else "")
    if event.use == "bound":
        return f"{dynamic}, or {few} and mask the rest; as the bound of a slice a tensor breaks the graph"
    if event.use == "index":
        return (
            f"{dynamic}, or pass `{name}` as a tensor of one element: `index_select` reads by it, `index_copy_` writes "
            "(a 0-d tensor is guarded by its value, like a number)"
        )
    if event.use == "count":
        return f"{few}, or compile what the loop calls: a loop is unrolled for each count, and breaks at a tensor"
    if event.use == "test":
        outside = f"take the test of `{name}` out of the compiled function, or compile a function for each outcome"
        return outside + (", or pass a tensor and choose by `torch.where`" if event.name.isidentifier() else "")
    if event.symbol or (event.static and _is_number(event.before)):
        return f"pass `{name}` as a tensor, or {dynamic}"
    return f"pass `{name}` as a tensor, or compile a function for each value"


def _is_number(text: str) -> bool:
    return text.lstrip("-").replace(".", "", 1).isdigit()


@check(SHARED_CODE, on=Recompiled)
def shared_code(event: Recompiled, facts: TorchFacts) -> Iterator[Finding]:
    """`for layer in layers: layer.compile()`, where layers differ in a number."""
    if event.by != "instance":
        return
    yield at(
        SHARED_CODE,
        event,
        f"instances share this compiled code and differ in `{event.name}`",
        confidence=event.sure,
        because=[event.called_here],
        why=(
            f"Versions belong to the code, not to the instance, and Dynamo guards {_guarded(event)}. "
            f"{_cost(event, facts)}"
        ),
        also=_raises(event, facts),
        help="compile the module that holds them all once, or make what differs a tensor or a class of its own",
    )


_COMPILED_ONCE = (
    "compile once, before the loop, and pass `{name}` to the function as a tensor: the compile call runs again each "
    "time, and code that reads `{name}` itself is compiled for another value"
)


def _changed(event: Recompiled) -> str:
    if event.guard == "grad mode":
        return "this call compiles again in another grad mode"
    if event.differs == "setting":
        return f"the {event.name} changes between compiled calls"
    return f"`{event.name}` changes between compiled calls"


@check(OUTSIDE_STATE, on=Recompiled)
def outside_state(event: Recompiled, facts: TorchFacts) -> Iterator[Finding]:
    """`adapter.scale = s` between two calls."""
    if event.by != "state":
        return
    mode = event.guard == "grad mode"
    setting = event.differs == "setting"
    yield at(
        OUTSIDE_STATE,
        event,
        _changed(event),
        confidence=event.sure,
        because=[event.compiled_here if mode else event.called_here],
        why=f"Dynamo guards {_guarded(event)}. {_cost(event, facts)}",
        also=_raises(event, facts),
        help=(
            "one version for training and one for evaluation is usual; warm both up before you measure"
            if mode or event.differs == "mode"
            else "set it once, before the first call"
            if setting
            else f"fill `{event.name}` before the first compiled call, or keep each entry with its module (a buffer)"
            if event.before.startswith("a dict")
            else _COMPILED_ONCE.format(name=event.name)
            if event.remade
            else "keep it in a buffer and fill that (`self.scale.fill_(s)`), or pass it as a tensor"
        ),
    )
