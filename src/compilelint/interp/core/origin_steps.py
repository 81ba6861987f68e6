"""The way back from a tensor: the steps of its origin, as what asks for devices, layouts and captures follows them."""

from __future__ import annotations

from collections.abc import Iterator

from compilelint.model import Confidence, Doubt
from compilelint.values import Origin, OriginKind, Source, Tensor

MADE = (OriginKind.MADE, OriginKind.EMPTY, OriginKind.LEAF)
OUTLIVES = (OriginKind.HELD, OriginKind.GLOBAL)  # the call
VIEWS = frozenset(
    """
    .view .view_as .reshape .transpose .permute .squeeze .unsqueeze .expand .expand_as .flatten .unflatten .chunk .split
    .unbind .narrow .select .t .detach .diagonal .swapaxes .movedim .tensor_split .hsplit .vsplit .real .imag .mT .T
    """.split()
)
"""Results that share the memory of their tensor, surely or as a rule."""
OFTEN_ITSELF = frozenset({".contiguous", ".float", ".to", ".type_as", ".cuda"})
"""Results that are the tensor itself where there is nothing to do."""
_SHARING = (OriginKind.ITEM, OriginKind.ATTRIBUTE)
_FAR = 12  # steps back from a value; beyond, the connection does not show at the line


def steps_back(origin: Origin | None) -> Iterator[Origin]:
    """An origin, then the steps before it."""
    for _ in range(_FAR):
        if origin is None:
            return
        yield origin
        origin = origin.parent


def first(origin: Origin | None, *kinds: OriginKind) -> Origin | None:
    """The nearest step back of such a kind."""
    return next((step for step in steps_back(origin) if step.kind in kinds), None)


def of_an_argument(tensor: Tensor) -> Confidence | None:
    """How surely a tensor shares memory with an argument of the call; None where it does not."""
    sure = Confidence.CERTAIN
    for step in steps_back(tensor.origin):
        if step.kind is OriginKind.ARGUMENT:
            return sure
        if step.kind is OriginKind.PLAIN and step.what.startswith("annotated") and tensor.source is Source.INPUT:
            return Doubt.PROMISED_BY_ANNOTATION.lower(sure)  # an item of an annotated list
        if step.kind is OriginKind.PLAIN and step.parent is not None and step.parent.kind is OriginKind.ARGUMENT:
            continue  # an item of an argument, a tensor by its use
        if step.kind is OriginKind.RESULT and step.what in OFTEN_ITSELF:
            sure = Doubt.LAYOUT_FOLLOWED.cap
        elif not (step.kind in _SHARING or (step.kind is OriginKind.RESULT and step.what in VIEWS)):
            return None
    return None
