"""CL51x: custom `autograd.Function` classes and writes that autograd does not see.

Eager autograd checks the contract of forward and backward when it runs; compiled code does not, so most of these raise
in eager code and pass, with or without a right gradient, when compiled.
"""

from __future__ import annotations

from collections.abc import Iterator

from compilelint.events import GradientRule, Placed
from compilelint.model import Effect, Finding, Rule
from compilelint.rulebook import at, check
from compilelint.torchfacts import TorchFacts
from compilelint.values import Tensor

GRADIENT_COUNT = Rule(
    "CL510", "gradient-count", "`backward` returns gradients that do not fit the inputs of `forward`", Effect.ERROR
)
SAVED_OBJECT = Rule("CL511", "saved-object", "`save_for_backward` gets a value that is not a tensor", Effect.ERROR)
CONTEXT_TENSOR = Rule(
    "CL512", "context-tensor", "a tensor is kept on `ctx` instead of being saved for backward", Effect.WRONG_RESULT
)
SAVED_TENSOR_WRITE = Rule(
    "CL513", "saved-tensor-write", "a tensor saved for backward is written in place", Effect.WRONG_RESULT
)
GRADIENT_WRITE = Rule(
    "CL514", "gradient-write", "`backward` writes the gradient it is given in place", Effect.WRONG_RESULT
)
FUNCTION_INSTANCE = Rule("CL515", "function-instance", "an `autograd.Function` is called as an object", Effect.ERROR)
DATA_WRITE = Rule("CL516", "data-write", "a tensor is written through `.data`", Effect.WRONG_RESULT)


@check(GRADIENT_COUNT, on=GradientRule)
def gradient_count(event: GradientRule, facts: TorchFacts) -> Iterator[Finding]:
    """`return grad` for two inputs."""
    if event.how != "gradient-count":
        return
    message = (
        f"`backward` returns {event.name} gradient{'' if event.name == '1' else 's'}, {event.detail} inputs"
        if event.name
        else f"`backward` returns a gradient for an input that is not a tensor: {event.detail}"
    )
    yield at(
        GRADIENT_COUNT,
        event,
        message,
        confidence=event.sure,
        why="Eager autograd raises at run time; compiled code does not check and trains with wrong gradients.",
        help="return one value for each input of `forward`, in order, `None` for those without a gradient",
    )


@check(SAVED_OBJECT, on=GradientRule)
def saved_object(event: GradientRule, facts: TorchFacts) -> Iterator[Finding]:
    """`ctx.save_for_backward(x, 3)`."""
    if event.how == "saved-object":
        yield at(
            SAVED_OBJECT,
            event,
            f"`save_for_backward` gets {event.name}, which is not a tensor",
            confidence=event.sure,
            why="Eager code raises a TypeError here; compiled code does not, so tests of the compiled model pass.",
            help="keep it on the context: `ctx.name = value`",
        )


@check(CONTEXT_TENSOR, on=GradientRule)
def context_tensor(event: GradientRule, facts: TorchFacts) -> Iterator[Finding]:
    """`ctx.x = x`."""
    if event.how == "ctx-tensor":
        yield at(
            CONTEXT_TENSOR,
            event,
            f"the tensor `{event.name}` is kept on the context",
            confidence=event.sure,
            why="If it changes before backward runs, the gradient is silently wrong; a saved output leaks memory.",
            help=f"`ctx.save_for_backward({event.name})`, and `ctx.saved_tensors` in `backward`",
        )


@check(SAVED_TENSOR_WRITE, on=GradientRule)
def saved_tensor_write(event: GradientRule, facts: TorchFacts) -> Iterator[Finding]:
    """`ctx.save_for_backward(x); x.mul_(2)`."""
    if event.how == "saved-written":
        yield at(
            SAVED_TENSOR_WRITE,
            event,
            f"`{event.name}` is written in place, and {event.detail}",
            confidence=event.sure,
            why="`save_for_backward` keeps the tensor, not a copy, so backward sees the new values.",
            help="write out of place, or save a clone",
        )


@check(GRADIENT_WRITE, on=GradientRule)
def gradient_write(event: GradientRule, facts: TorchFacts) -> Iterator[Finding]:
    """`grad.mul_(2)` in `backward`."""
    if event.how == "gradient-written":
        yield at(
            GRADIENT_WRITE,
            event,
            f"`backward` writes `{event.name}`, which other code may share",
            confidence=event.sure,
            why="Where a tensor is used twice, both uses share one gradient: this write corrupts the other.",
            help=f"write out of place, or clone it first: `{event.name} = {event.name}.clone()`",
        )


@check(FUNCTION_INSTANCE, on=GradientRule)
def function_instance(event: GradientRule, facts: TorchFacts) -> Iterator[Finding]:
    """`MyFunction()(x)`."""
    if event.how == "instance-call":
        yield at(
            FUNCTION_INSTANCE,
            event,
            f"an instance of `{event.name}` is called",
            confidence=event.sure,
            why="Since torch 1.5 an autograd function cannot be called as an object: eager and compiled raise.",
            help=f"`{event.name}.apply(...)`, with static `forward` and `backward`",
        )


@check(DATA_WRITE, on=Placed)
def data_write(event: Placed, facts: TorchFacts) -> Iterator[Finding]:
    """`h.data.mul_(2)`."""
    if event.how == "data":
        origin = event.receiver.origin if isinstance(event.receiver, Tensor) else None
        yield at(
            DATA_WRITE,
            event,
            f"`{event.name}` changes a tensor without autograd seeing it",
            confidence=event.sure,
            because=[origin],
            why="Autograd does not see the write: gradients use the new values, and nothing raises.",
            help="write under `torch.no_grad()` before the tensor is used, or out of place",
        )
