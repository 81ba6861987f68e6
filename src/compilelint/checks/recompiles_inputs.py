"""CL71x: guards on what the caller passes. Whether it varies, mostly no one says, and then these are merely possible.

An argument that a loop around the calls of the compiled object changes does vary.
"""

from __future__ import annotations

from collections.abc import Iterator

from compilelint.checks.recompiles import LENGTHENING_TENSOR
from compilelint.events import InputGuard
from compilelint.model import Confidence, Doubt, Effect, Finding, Related, Rule
from compilelint.rulebook import at, check
from compilelint.torchfacts import TorchFacts

NUMBER_ARGUMENT = Rule(
    "CL710", "number-argument", "a number or string from the caller decides which code runs", Effect.RECOMPILE
)
SIZE_BRANCH = Rule("CL711", "size-branch", "the branch taken depends on the size of an input", Effect.RECOMPILE)
OPTIONAL_ARGUMENT = Rule(
    "CL712", "optional-argument", "an argument that may be None decides which code runs", Effect.RECOMPILE
)
LAYER_NUMBER = Rule("CL713", "layer-number", "layers that share their code differ in a number", Effect.RECOMPILE)


@check(NUMBER_ARGUMENT, on=InputGuard)
def number_argument(event: InputGuard, facts: TorchFacts) -> Iterator[Finding]:
    """`for _ in range(steps)`, `if mode == "train"`."""
    if event.how not in ("number", "text"):
        return
    limit = facts.config.get("recompile_limit", 8)
    kind = "number" if event.how == "number" else "text"
    yield at(
        NUMBER_ARGUMENT,
        event,
        f"the {kind} `{event.name}` decides which code runs" + (" and changes from call to call" if event.loop else ""),
        confidence=_sure(event),
        because=_changed_by(event),
        why=(
            f"Dynamo guards `{event.guard}`: each value that selects other code recompiles, {limit} versions "
            "at most; after that the function runs uncompiled." + _beyond(event, limit)
        ),
        help=(
            "if it varies, pass a tensor and choose with `torch.where`, round it to a few values, or compile a "
            'function for each value; `torch.compiler.set_stance("eager_on_recompile")` keeps rare values uncompiled'
        ),
    )


def _sure(event: InputGuard) -> Confidence:
    return Doubt.CALLERS_INPUTS.cap if event.loop is None else Doubt.OTHER_CALLS.cap


def _beyond(event: InputGuard, limit: int) -> str:
    """What the loop around the calls comes to, where it has more values than there may be versions."""
    return (
        f" The loop around its calls has {event.count} values."
        if event.count is not None and event.count > limit
        else ""
    )


def _changed_by(event: InputGuard) -> Iterator[Related]:
    """The loop that changes the argument."""
    if event.loop is not None:
        yield Related(event.loop, f"this loop changes `{event.name}` for each call")


@check(LENGTHENING_TENSOR, on=InputGuard)
def lengthening_argument(event: InputGuard, facts: TorchFacts) -> Iterator[Finding]:
    """`tokens = torch.cat([tokens, step(tokens)])` in a loop."""
    if event.how == "longer":
        yield at(
            LENGTHENING_TENSOR,
            event,
            f"`{event.name}` grows with every call",
            confidence=_sure(event),
            because=_changed_by(event),
            why=(
                "The first call is compiled for the size it sees; the second recompiles with that size dynamic. "
                "Tests and loops on the size compile more versions, and no CUDA graph can take in a tensor that grows."
            ),
            help=(
                "allocate it once at its greatest length and pass the position as a tensor, or call "
                "`torch._dynamo.mark_dynamic(x, dim)` before the first call to save the version for its size"
            ),
        )


@check(SIZE_BRANCH, on=InputGuard)
def size_branch(event: InputGuard, facts: TorchFacts) -> Iterator[Finding]:
    """`if x.shape[0] > 4`."""
    if event.how == "size":
        yield at(
            SIZE_BRANCH,
            event,
            "the sizes of the inputs decide this test",
            confidence=Doubt.CALLERS_INPUTS.cap,
            why=(
                "The test becomes a guard on the sizes: inputs on its other side compile another version, also where "
                "the sizes are dynamic already."
            ),
            help=(
                "pad or bucket the inputs so that one side is taken, or move the choice out of the compiled region; "
                "`torch._dynamo.mark_dynamic(x, dim)` saves the version for the first size, not that of each side"
            ),
        )


@check(OPTIONAL_ARGUMENT, on=InputGuard)
def optional_argument(event: InputGuard, facts: TorchFacts) -> Iterator[Finding]:
    """`if mask is not None`."""
    if event.how == "optional":
        yield at(
            OPTIONAL_ARGUMENT,
            event,
            f"`{event.name}` is a tensor in some calls and None in others",
            confidence=Doubt.CALLERS_INPUTS.cap,
            why=f"Dynamo guards `{event.guard}`: calls with and without it compile a version each, for every "
            "combination of such arguments.",
            help="if both kinds of call happen, pass a neutral tensor instead of None, or compile two functions",
        )


@check(LAYER_NUMBER, on=InputGuard)
def layer_number(event: InputGuard, facts: TorchFacts) -> Iterator[Finding]:
    """`self.layer_idx` in a block that is compiled by itself."""
    if event.how != "layer":
        return
    limit = facts.config.get("recompile_limit", 8)
    yield at(
        LAYER_NUMBER,
        event,
        f"`{event.name}` differs from layer to layer",
        confidence=Doubt.COMPILED_LAYER_BY_LAYER.cap,
        why=(
            f"Compiled layer by layer, all layers share one code and its limit of {limit} versions: the guard "
            f"`{event.guard}` holds for one of them, so each layer recompiles."
        ),
        help=(
            "compile the whole model, so that each number is a constant of one graph; or keep the number out of the "
            "layer's forward (prepare what depends on it in `__init__`), or make it a tensor"
        ),
    )
