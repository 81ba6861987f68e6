"""Which rewrite a fix starts from, and what the engine knows that decides whether it is legal: closed vocabularies.

A check names a rewrite, `fixes` registers functions under the name; a word that is in no list here is a type error.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

from compilelint.model.belief import Belief, joined
from compilelint.model.slotted import dataclass

RewriteName: TypeAlias = Literal[
    "branch",
    "buffer",
    "clock",
    "constant-call",
    "construction",
    "copy",
    "counter",
    "ctc-loss",
    "cudnn-flags",
    "device-literal",
    "dynamic-shape",
    "first-call",
    "host-built",
    "host-effect",
    "host-function",
    "host-kept",
    "host-random",
    "host-read",
    "mask",
    "number-rate",
    "output",
    "outside-context",
    "random-filled",
    "requires-grad",
    "requires-grad-asked",
    "round-trip",
    "scalar-index",
    "scripted-type-test",
    "uneven-batch",
    "unused-pragma",
    "variable",
    "view",
    "wrapper-state",
]

FactName: TypeAlias = Literal[
    "always",  # it is a tensor on every path
    "array",  # it is a NumPy array
    "capture_dynamic_output_shape_ops",  # this switch of `torch._dynamo.config` is needed, as the next
    "capture_scalar_outputs",
    "column",  # with the three other ends of a span: where the copy to the host stands
    "dtype",
    "end_column",
    "end_line",
    "function",  # the dotted name of the host function
    "line",
    "of_rank",  # the rank of what is indexed
    "of_tensor",  # what is indexed is a tensor on every path
    "peer",  # the tensor whose device is meant, as source text
    "plain",  # a dict, list or set as Python makes it
    "random",  # its numbers are drawn
    "rank",
]

Known: TypeAlias = tuple[FactName, str | int | bool]


@dataclass(frozen=True, slots=True)
class Rewrite:
    """A rewrite by name, and what the engine knows that decides whether it is legal; the edits are computed later.

    `known` holds plain facts such as `("dtype", "bool")` and `("rank", 0)`; a name that is missing is not known.
    `held` is what is believed of the names of the function, at the finding, that hold tensors.
    """

    name: RewriteName
    known: tuple[Known, ...] = ()
    held: tuple[Belief, ...] = ()

    def fact(self, name: FactName) -> str | int | bool | None:
        """What is known under a name; None where nothing is."""
        return next((value for key, value in self.known if key == name), None)

    def common(self, other: Rewrite) -> Rewrite | None:
        """What holds on both ways to a place: a rewrite may rely on nothing else; None where they are not the same."""
        if self.name != other.name:
            return None
        known = tuple(fact for fact in self.known if fact in other.known)
        return Rewrite(self.name, known, joined(self.held, other.held))
