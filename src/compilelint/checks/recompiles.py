"""CL70x: state that the compiled code changes itself, so that its own guards fail in the next call."""

from __future__ import annotations

from collections.abc import Iterator

from compilelint.checks.idioms.idiom import Place, nodes
from compilelint.events import StateChange
from compilelint.model import Doubt, Effect, Finding, Rewrite, Rule, Safety
from compilelint.rulebook import at, check
from compilelint.syntax import ir
from compilelint.syntax.walk import last_name
from compilelint.torchfacts import TorchFacts

CHANGING_NUMBER = Rule(
    "CL701",
    "changing-number",
    "the region changes a number or string that its own guards check",
    Effect.RECOMPILE,
    fix=Safety.UNSAFE,
)
GROWING_CONTAINER = Rule(
    "CL702", "growing-container", "a list, dict or set that outlives the call grows", Effect.RECOMPILE
)
LATE_STATE = Rule("CL703", "late-state", "the first call sets up state that guards check", Effect.RECOMPILE)
LENGTHENING_TENSOR = Rule(
    "CL704", "lengthening-tensor", "a tensor that outlives the call gets longer", Effect.RECOMPILE
)
MUTATED_DEFAULT = Rule("CL705", "mutated-default", "a mutable default argument is changed", Effect.RECOMPILE)
ADVANCED_ITERATOR = Rule("CL706", "advanced-iterator", "an iterator from outside is advanced", Effect.RECOMPILE)

# From here on, a bare int counter in a global or an enclosing function is not guarded while nothing else reads it.
_UNREAD_COUNTERS_ARE_FREE = (2, 15)


_DIFFERS = frozenset({"!=", "<", "<=", ">", ">="})


def _limit(facts: TorchFacts) -> int:
    return int(str(facts.config.get("recompile_limit", 8)))


def _to_the_limit(event: StateChange, facts: TorchFacts) -> str:
    limit = _limit(facts)
    return (
        f"Dynamo guards `{event.guard}`, so every call{_when(event)} recompiles. After {limit} versions "
        f"(`recompile_limit`) {_beyond_the_limit(event)}"
    )


def _beyond_the_limit(event: StateChange) -> str:
    """What the call does for which no version is compiled any more (run on 2.13 and 2.15)."""
    if event.site.context.config.fullgraph:
        return "the next call raises `FailOnRecompileLimitHit`, since the root is compiled with `fullgraph=True`."
    return "the function runs uncompiled."


def _as_written(event: StateChange) -> str:
    """The state as the source spells it; guards call a global `G['NAME']`."""
    return event.name.replace("G['", "", 1).replace("']", "", 1) if event.name.startswith("G['") else event.name


def _when(event: StateChange) -> str:
    return " in training" if event.training else ""


def _once(event: StateChange) -> str:
    return f"Dynamo guards `{event.guard}`, which fails on the second call: Dynamo compiles 2 versions instead of one."


@check(CHANGING_NUMBER, on=StateChange)
def changing_number(event: StateChange, facts: TorchFacts) -> Iterator[Finding]:
    """Counters, schedules and other numbers that follow from their old value."""
    if event.where == "default" or event.how not in ("counts", "settles", "varies"):
        return
    sure = event.sure
    version = tuple(int(part) for part in facts.version.split(".")[:2])
    if event.alone and event.where in ("global", "closure") and version >= _UNREAD_COUNTERS_ARE_FREE:
        sure = Doubt.UNREAD_COUNTER.lower(sure)
    if event.how == "counts":
        message, why = (
            f"`{_as_written(event)}` changes on every call{_when(event)}",
            _to_the_limit(event, facts),
        )
    elif event.how == "varies":
        message = f"`{_as_written(event)}` changes from call to call{_when(event)}"
        why = f"Dynamo guards `{event.guard}`; the second call recompiles with the number as dynamic."
    else:
        message = f"`{_as_written(event)}` changes during the first calls"
        why = f"Dynamo guards `{event.guard}`: one version is compiled for each value that it takes."
    help_ = (
        "keep it in a tensor (`register_buffer`, then `self.count.add_(1)`), count outside the compiled region, or "
        "behind `if not torch.compiler.is_compiling():`"
    )
    if Place(event, facts).bounds(event.name):
        help_ = _AS_A_BOUND
    elif event.where == "self" and event.how == "counts" and not event.plain:
        help_ += "; `torch._dynamo.config.allow_unspec_int_on_nn_module = True` makes ints of modules dynamic"
    counter = event.where == "self" and event.how == "counts" and event.site.inner is None
    rewrite = Rewrite("counter") if counter else None
    yield at(CHANGING_NUMBER, event, message, confidence=sure, why=why, help=help_, rewrite=rewrite)


_AS_A_BOUND = (
    "as the bound of a slice a tensor breaks the graph: count outside, pass the number in and compile with "
    "`dynamic=True`, or count in a tensor and write by positions (`kept.index_copy_(0, count + torch.arange(n), x)`)"
)
_KEPT_HOOK = (
    "drop the handle: `y.register_hook(f)` alone is traced; for a hook to be taken off again, register it on an input "
    "before the compiled call"
)


@check(GROWING_CONTAINER, on=StateChange)
def growing_container(event: StateChange, facts: TorchFacts) -> Iterator[Finding]:
    """`self.losses.append(...)`, `CACHE[key] = ...`."""
    if event.where == "default" or event.how not in ("grows", "shrinks", "gains-key", "fills"):
        return
    if event.how in ("grows", "shrinks"):
        message, why = f"`{_as_written(event)}` {event.how} on every call{_when(event)}", _to_the_limit(event, facts)
    elif event.how == "fills":
        message, why = f"`{_as_written(event)}` is filled by the first call", _once(event)
    else:
        message = f"`{_as_written(event)}` gets a new entry"
        why = f"Dynamo guards what it finds in the container (`{event.guard}`): each new entry recompiles."
    help_ = (
        "return the value and collect it outside the compiled region, or write into a tensor of fixed size; fill a "
        "cache before the first compiled call"
    )
    if _keeps_hook(Place(event, facts)):
        help_ = _KEPT_HOOK
    yield at(GROWING_CONTAINER, event, message, confidence=event.sure, why=why, help=help_)


def _keeps_hook(place: Place) -> bool:
    """`handles.append(y.register_hook(f))`."""
    return any(isinstance(one, ir.Call) and last_name(one) == "register_hook" for one in nodes(place.path[-1:]))


_SET_BEFORE = (
    "set it in `__init__` or in a method that is called before compiling, with the type, dtype and size it keeps; what "
    "only marks a first call can be a buffer and `torch.where`"
)
_MADE_AGAIN = (
    "make it in each call from the sizes, without keeping it, which makes it a part of the graph and the sizes free to "
    "vary, or outside the compiled function, once for each size"
)
_SWITCH_OUTSIDE = (
    "switch it before the compiled call, or for a block alone: `with torch.no_grad():`, `with torch.autocast(...)`, "
    "`dtype=` and `device=` where a tensor is made"
)

_HELP = {
    "gains-gradient": "store `y.detach()`: the next call must not reach back into this one's graph",
    "aliases": "store a copy (`.clone()`): Dynamo compiles another version for inputs that are one tensor",
}


@check(LATE_STATE, on=StateChange)
def late_state(event: StateChange, facts: TorchFacts) -> Iterator[Finding]:
    """`if self.cache is None: self.cache = ...`, `if not self.initialized: ...`."""
    if event.where == "default":
        return
    if event.how == "appears":
        message = f"`{_as_written(event)}` is not set before the first call"
    elif event.how == "flips":
        message = f"`{_as_written(event)}` is switched by the compiled code"
    elif event.how == "retypes":
        message = f"`{_as_written(event)}` holds a value of another type after the first call"
    elif event.how == "reshapes":
        message = f"`{_as_written(event)}` has another dtype, size or layout after the first call"
    elif event.how == "gains-gradient":
        message = f"`{_as_written(event)}` needs a gradient from the second call on"
    elif event.how == "aliases":
        message = f"`{_as_written(event)}` becomes the same tensor as another attribute"
    elif event.how == "disappears":
        message = f"`{_as_written(event)}` is gone after the first call"
    else:
        return
    help_ = _HELP.get(event.how, _SWITCH_OUTSIDE if event.where == "process" else _SET_BEFORE)
    if event.how == "appears" and _is_made_again(Place(event, facts)):
        help_ = _MADE_AGAIN
    yield at(LATE_STATE, event, message, confidence=event.sure, why=_once(event), help=help_)


def _is_made_again(place: Place) -> bool:
    """The state is made where it is not there, or was made for something else: `mask is None or size != self.size`."""
    around = next((one for one in reversed(place.path) if isinstance(one, ir.If)), None)
    if around is None or not around.arms:
        return False
    test = around.arms[0][0]
    others = test.values if isinstance(test, ir.BoolOp) and test.op == "or" else ()
    return any(isinstance(one, ir.Compare) and one.ops and one.ops[0] in _DIFFERS for one in others)


@check(LENGTHENING_TENSOR, on=StateChange)
def lengthening_tensor(event: StateChange, facts: TorchFacts) -> Iterator[Finding]:
    """`self.keys = torch.cat([self.keys, k])`."""
    if event.how == "lengthens":
        yield at(
            LENGTHENING_TENSOR,
            event,
            f"`{_as_written(event)}` grows on every call{_when(event)}",
            confidence=event.sure,
            why=(
                "The first call is compiled for the size it sees; the next ones fail that guard until the size is "
                "dynamic, and no CUDA graph can hold a buffer that grows."
            ),
            help="allocate it once at its greatest length and write into it (`index_copy_`), the length being a tensor",
        )


@check(MUTATED_DEFAULT, on=StateChange)
def mutated_default(event: StateChange, facts: TorchFacts) -> Iterator[Finding]:
    """`def f(x, seen=[]): seen.append(x)`."""
    if event.where == "default":
        why = _once(event) if event.how in ("gains-key", "fills", "flips") else _to_the_limit(event, facts)
        yield at(
            MUTATED_DEFAULT,
            event,
            f"the default of `{event.name}` lives as long as the function, and is changed here",
            confidence=event.sure,
            why=why,
            help="use `None` as the default and make the container inside the function",
        )


@check(ADVANCED_ITERATOR, on=StateChange)
def advanced_iterator(event: StateChange, facts: TorchFacts) -> Iterator[Finding]:
    """`next(self.ids)`."""
    if event.how == "advances" and event.where != "default":
        yield at(
            ADVANCED_ITERATOR,
            event,
            f"`{_as_written(event)}` is at a different item on every call",
            confidence=event.sure,
            why=_to_the_limit(event, facts),
            help="take the item outside the compiled region and pass it in, as a tensor if it is a number",
        )
