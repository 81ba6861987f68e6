"""CL51x: custom `autograd.Function` classes and writes that autograd does not see.

Eager autograd checks the contract of forward and backward when it runs; compiled code does not, so most of these raise
in eager code and pass, with or without a right gradient, when compiled.
"""

from __future__ import annotations

from collections.abc import Iterator

from compilelint.checks.trees import on_trees
from compilelint.checks.written import subject
from compilelint.events import Placed
from compilelint.lib.file_state import FileState
from compilelint.model import Effect, Finding, Rule
from compilelint.rulebook import at, check
from compilelint.syntax import ir
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


def _places(known: FileState) -> Iterator[int]:
    """The classes of autograd functions, and calls of objects made on the spot."""
    owners = [one.owner for one in known.scopes if one.function is not None and one.owner is not None]
    yield from (one.node.pos for one in owners if one.is_autograd_function)
    yield from (one.pos for _, one in known.calls() if isinstance(one.func, ir.Call))


ON_TREES = on_trees(
    "autograd_functions",
    GRADIENT_COUNT,
    SAVED_OBJECT,
    CONTEXT_TENSOR,
    SAVED_TENSOR_WRITE,
    GRADIENT_WRITE,
    FUNCTION_INSTANCE,
    words=("autograd",),
    scout=_places,
)


@check(DATA_WRITE, on=Placed)
def data_write(event: Placed, facts: TorchFacts) -> Iterator[Finding]:
    """`h.data.mul_(2)`."""
    if event.how == "data":
        origin = event.receiver.origin if isinstance(event.receiver, Tensor) else None
        yield at(
            DATA_WRITE,
            event,
            f"`{event.name}` changes {subject(event)} without autograd seeing it",
            confidence=event.sure,
            because=[origin],
            why="Autograd does not see the write: gradients use the new values, and nothing raises.",
            help="write under `torch.no_grad()` before the tensor is used, or out of place",
        )
