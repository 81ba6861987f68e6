"""CL81x: calls of `torch.compile` whose arguments, target or later use keep compiling from paying."""

from __future__ import annotations

from collections.abc import Iterator

from compilelint.checks.trees import on_compile_calls
from compilelint.events import Compile, WrapperUse
from compilelint.model import Doubt, Effect, Finding, Rule, Safety
from compilelint.rulebook import at, check
from compilelint.torchfacts import TorchFacts

REFUSED_ARGUMENT = Rule(
    "CL812", "refused-argument", "`torch.compile` raises on its arguments", Effect.ERROR, fix=Safety.UNSAFE
)
IGNORED_ARGUMENT = Rule("CL813", "ignored-argument", "the backend ignores an argument of `torch.compile`", Effect.SLOW)
IDENTICAL_BLOCKS = Rule(
    "CL814", "identical-blocks", "a model that repeats one block is compiled as a whole", Effect.SLOW
)
CHANGED_AFTER_COMPILE = Rule(
    "CL815", "changed-after-compile", "the model is changed between two compiled calls", Effect.RECOMPILE
)
LATE_HOOK = Rule("CL839", "late-hook", "a layer gets a hook after the compiled model was called", Effect.WRONG_RESULT)
FLAT_PARAMETERS = Rule("CL816", "flat-parameters", "FSDP with flat parameters is compiled", Effect.SLOW)
VARIED_SIZES = Rule(
    "CL817", "varied-sizes", "the compiled model is called with tensors of many sizes", Effect.RECOMPILE
)
AUTOCAST_ORDER = Rule(
    "CL818", "autocast-order", "`autocast` surrounds `torch.compile` and not the compiled calls", Effect.SLOW
)
WRAPPER_TRACED = Rule(
    "CL819", "wrapper-traced", "a compiled model is given to FX, to be quantized or traced", Effect.ERROR
)


@check(IDENTICAL_BLOCKS, on=Compile)
def identical_blocks(event: Compile, facts: TorchFacts) -> Iterator[Finding]:
    """A `ModuleList` of one class, in a model that is compiled whole."""
    if event.use == "blocks":
        yield at(
            IDENTICAL_BLOCKS,
            event,
            f"{event.what} repeats {event.where}, and each copy is compiled separately",
            confidence=Doubt.ADVICE.cap,
            why="Dynamo unrolls the loop, so the time to compile grows with the number of blocks.",
            help="compile the block: `for block in ...: block.compile()` compiles it once and all copies share it",
        )


@check(CHANGED_AFTER_COMPILE, on=WrapperUse)
def changed_after_compile(event: WrapperUse, facts: TorchFacts) -> Iterator[Finding]:
    """`compiled(x); model.half(); compiled(x)`."""
    if event.how == "changed":
        yield at(
            CHANGED_AFTER_COMPILE,
            event,
            f"`{event.detail}` changes what `{event.name}` was compiled for",
            confidence=event.sure,
            because=[event.compiled_here],
            why="Guards hold the dtype, device and `requires_grad` of every parameter: the next call recompiles.",
            help="move, convert and prune the model first, and compile it last",
        )


@check(LATE_HOOK, on=WrapperUse)
def late_hook(event: WrapperUse, facts: TorchFacts) -> Iterator[Finding]:
    """`compiled(x); model.layer.register_forward_hook(keep); compiled(x)`."""
    if event.how == "late-hook":
        yield at(
            LATE_HOOK,
            event,
            f"the hook of `{event.detail}` does not run in calls of `{event.name}`",
            confidence=event.sure,
            because=[event.compiled_here],
            why="Dynamo traces the hooks that a layer has in the first call, and no guard asks for later ones: what "
            "was compiled goes on without.",
            help="register the hook before the first call, call the model that is not compiled, or call "
            "`torch.compiler.reset()` behind the registration",
        )


@check(FLAT_PARAMETERS, on=Compile)
def flat_parameters(event: Compile, facts: TorchFacts) -> Iterator[Finding]:
    """`torch.compile(FSDP(m))`."""
    if event.use == "flat-parameters":
        yield at(
            FLAT_PARAMETERS,
            event,
            f"{event.what} is wrapped by FSDP without `use_orig_params=True`",
            why="Dynamo skips modules whose parameters FSDP has flattened: nothing in it is compiled.",
            help="pass `use_orig_params=True` to FSDP, or shard with `fully_shard`",
        )


@check(AUTOCAST_ORDER, on=WrapperUse)
def autocast_order(event: WrapperUse, facts: TorchFacts) -> Iterator[Finding]:
    """`with torch.autocast("cuda"): compiled = torch.compile(m)`, then `compiled(x)`."""
    if event.how == "autocast":
        yield at(
            AUTOCAST_ORDER,
            event,
            f"`autocast` has ended when `{event.name}` is called",
            confidence=event.sure,
            because=[event.compiled_here],
            why="`torch.compile` compiles on the first call, so the model runs in full precision.",
            help="put the calls under `autocast`; where `torch.compile` is called does not matter",
        )


@check(WRAPPER_TRACED, on=WrapperUse)
def wrapper_traced(event: WrapperUse, facts: TorchFacts) -> Iterator[Finding]:
    """`prepare_fx(torch.compile(m), ...)`."""
    if event.how == "traced":
        yield at(
            WRAPPER_TRACED,
            event,
            f"`{event.detail}` is given `{event.name}`, the compiled wrapper rather than the model",
            confidence=event.sure,
            because=[event.compiled_here],
            why="FX looks for `forward` on the wrapper's class, finds none, and raises NotImplementedError.",
            help="quantize or trace the model first, and compile the result",
        )


@check(VARIED_SIZES, on=WrapperUse)
def varied_sizes(event: WrapperUse, facts: TorchFacts) -> Iterator[Finding]:
    """`for n in (8, 16, 32): compiled(torch.randn(n, 3))`."""
    if event.how not in ("sizes", "sizes-fixed"):
        return
    limit = facts.config.get("recompile_limit", 8)
    if event.how == "sizes-fixed" and event.count is not None and event.count <= limit:
        return  # a few sizes under `dynamic=False` are each compiled on purpose
    if event.how == "sizes":
        why = "The first call compiles for its exact size; the second size recompiles with dynamic shapes."
    elif event.count is not None:
        why = (
            f"With `dynamic=False` each of the {event.count} sizes is a version of its own; {limit} are kept, and the "
        )
        why += f"other {event.count - limit} run in eager mode."
    else:
        why = f"With `dynamic=False` every size compiles its own version; after {limit} the rest run in eager mode."
    yield at(
        VARIED_SIZES,
        event,
        f"each `{event.detail}` brings a new size to `{event.name}`",
        confidence=event.sure,
        because=[event.compiled_here],
        why=why,
        help=f"pass `dynamic=True`, or mark the dimension before the first call: {_marked(event)}{_OF_ONE}",
    )


_OF_ONE = "; a size of 1 is compiled apart, unless `torch._dynamo.decorators.mark_unbacked` marks it"


def _marked(event: WrapperUse) -> str:
    """The call that marks the dimension that varies."""
    tensor = event.tensor or "x"
    one, *more = event.dimensions or ("dim",)
    where = [one, *more] if more else one
    return f"`torch._dynamo.mark_dynamic({tensor}, {where})`"


ON_TREES = on_compile_calls(REFUSED_ARGUMENT, IGNORED_ARGUMENT)
