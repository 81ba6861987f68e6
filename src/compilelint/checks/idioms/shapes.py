"""Idioms of indices, sizes and shapes that depend on data."""

from __future__ import annotations

from collections.abc import Callable

from compilelint.checks.idioms.idiom import Idiom, Place
from compilelint.events import Index
from compilelint.syntax import ir
from compilelint.syntax.walk import last_name

_BY_ROWS = frozenset({"index_add_", "index_add", "index_copy_", "index_put_", "scatter_add_"})
_REDUCES = frozenset("sum mean amax amin max min any all prod norm numel".split())


def _is_picked_and_reduced(place: Place) -> bool:
    """`x[mask].sum()`: what is picked is summed at once."""
    above = place.above
    if isinstance(above, ir.Attr) and above.name in _REDUCES:
        return True
    return isinstance(above, ir.Call) and last_name(above) in _REDUCES


def _is_picked(place: Place) -> bool:
    return isinstance(place.event, Index) or place.operation == "masked_select"


def _is_put_back(place: Place) -> bool:
    """`x[mask] = f(x[mask])`: what is picked goes back to where a mask points."""
    statement = next((one for one in reversed(place.path) if isinstance(one, (ir.Assign, ir.AugAssign))), None)
    targets = statement.targets if isinstance(statement, ir.Assign) else (statement.target,) if statement else ()
    return any(isinstance(one, ir.Index) for one in targets)


def _called(*ends: str) -> Callable[[Place], bool]:
    return lambda place: place.operation in ends


def _are_rows_of_a_mask(place: Place) -> bool:
    """`rows = torch.where(mask)` or `mask.nonzero()`, by which other tensors are indexed."""
    if place.operation not in ("where", "nonzero", "argwhere"):
        return False
    return any(name in _BY_ROWS for name, _ in place.callers)


IDIOMS = (
    Idiom(
        "picked-and-reduced",
        ("CL120",),
        "use `torch.where(mask, x, 0)` or multiply by the mask: same sums, fixed shape",
        lambda place: _is_picked(place) and _is_picked_and_reduced(place),
    ),
    Idiom(
        "picked-and-put-back",
        ("CL120",),
        "compute on all of it and choose: `x = torch.where(mask, f(x), x)`",
        lambda place: _is_picked(place) and _is_put_back(place),
    ),
    Idiom(
        "picked-rows",
        ("CL120",),
        "keep all rows and return the mask with them, to pick after the compiled call; `topk` with a fixed `k` keeps a "
        "shape too",
        _is_picked,
    ),
    Idiom(
        "rows-of-an-expert",
        ("CL120",),
        "compute all rows and weight them by the mask (`out = out + expert(x) * weight[:, None]`), which costs every "
        "expert on every row, or give each expert a fixed number of rows",
        _are_rows_of_a_mask,
    ),
    Idiom(
        "positions-of-a-mask",
        ("CL120",),
        "keep the mask itself; `torch.where(mask, a, b)` and masked sums need no positions",
        _called("nonzero", "argwhere", "where"),
    ),
    Idiom(
        "distinct-values",
        ("CL120",),
        "move it before the compiled region; for counts, `torch.sort` and differences keep the shape",
        _called("unique"),
    ),
    Idiom(
        "distinct-neighbours",
        ("CL120",),
        "move it before the compiled region; differences of neighbours keep the shape",
        _called("unique_consecutive"),
    ),
    Idiom(
        "repeated-by-data",
        ("CL120",),
        "pass `output_size=` with the total as a Python int",
        _called("repeat_interleave"),
    ),
    Idiom("classes-counted", ("CL120",), "pass `num_classes=` as a Python int", _called("one_hot")),
    Idiom(
        "bins-counted",
        ("CL120",),
        "use `torch.zeros(n).scatter_add_(0, x, ones)` with a known number of bins",
        _called("bincount"),
    ),
    Idiom(
        "pairs-of-a-range",
        ("CL120",),
        "index with `torch.triu_indices`, which depends on the shape only",
        _called("combinations"),
    ),
    Idiom(
        "loss-of-alignments",
        ("CL120",),
        "compute the loss on what the compiled region returns",
        _called("ctc_loss", "forward"),
    ),
    Idiom(
        "shape-otherwise",
        ("CL120",),
        "use an operation of fixed output shape, or move it out of the compiled region",
        lambda place: True,
        unproven="the operation is none of those above",
    ),
)
