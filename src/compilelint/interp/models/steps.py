"""The way back from a tensor: the steps of its origin, as what asks for devices, layouts and captures follows them."""

from __future__ import annotations

from collections.abc import Iterator

from compilelint.values import Origin, OriginKind

MADE = (OriginKind.MADE, OriginKind.EMPTY, OriginKind.LEAF)
OUTLIVES = (OriginKind.HELD, OriginKind.GLOBAL)  # the call
VIEWS = frozenset(
    """
    .view .view_as .reshape .transpose .permute .squeeze .unsqueeze .expand .expand_as .flatten .unflatten .chunk .split
    .unbind .narrow .select .t .detach .diagonal .swapaxes .movedim .tensor_split .hsplit .vsplit .real .imag .mT .T
    """.split()
)
"""Results that share the memory of their tensor, surely or as a rule."""
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
