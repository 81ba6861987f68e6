"""Idioms of indices, sizes and shapes that depend on data."""

from __future__ import annotations

from collections.abc import Callable

from compilelint.checks.idioms.idiom import Idiom, Place
from compilelint.checks.written import operands
from compilelint.events import Index
from compilelint.syntax import ir
from compilelint.syntax.walk import last_name
from compilelint.torchfacts import SyntaxForm
from compilelint.values import tensor_arm

_BY_ROWS = frozenset({"index_add_", "index_add", "index_copy_", "index_put_", "scatter_add_"})
_ADDED_UP = _BY_ROWS | {"scatter_add", "scatter_reduce", "scatter_reduce_"}
_COUNTS = frozenset({"len", "numel", "shape", "size"})
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


def _is_how(place: Place, form: SyntaxForm) -> bool:
    return isinstance(place.event, Index) and place.event.how == form.value


def _called(*ends: str) -> Callable[[Place], bool]:
    return lambda place: place.operation in ends


def _are_ends_of_edges(place: Place) -> bool:
    """`source, target = edges[:, kind == i]`, by which rows are taken and added up."""
    return _is_picked(place) and any(name in _ADDED_UP for name, _ in place.callers)


def _are_counted(place: Place) -> bool:
    """`torch.unique(ids)` of whole numbers, of which the count is wanted and nothing else."""
    if not any(arm.dtype == "int" for value in operands(place.event) if (arm := tensor_arm(value)) is not None):
        return False
    above = place.above
    if isinstance(above, (ir.Attr, ir.Call)):
        return (above.name if isinstance(above, ir.Attr) else last_name(above)) in _COUNTS
    if not isinstance(above, ir.Assign) or len(above.targets) != 1 or not isinstance(above.targets[0], ir.Name):
        return False
    uses = place.uses_of(above.targets[0].id)
    return bool(uses) and all(use in _COUNTS for use in uses)


def _are_rows_of_a_mask(place: Place) -> bool:
    """`rows = torch.where(mask)` or `mask.nonzero()`, by which other tensors are indexed."""
    if place.operation not in ("where", "nonzero", "argwhere"):
        return False
    return any(name in _BY_ROWS for name, _ in place.callers)


IDIOMS = (
    Idiom(
        "block-written",
        ("CL103",),
        "write by positions: `cache.index_copy_(1, start + torch.arange(n), keys)`, with `n` the size of what is "
        "written, or pass the bound as an int",
        lambda place: place.is_written and _is_how(place, SyntaxForm.SLICE_SCALAR),
    ),
    Idiom(
        "row-written",
        ("CL103",),
        "write by the index as a tensor: `x.index_copy_(0, index.reshape(1), row[None])`",
        lambda place: place.is_written and _is_how(place, SyntaxForm.INDEX_SCALAR),
    ),
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
        "edges-of-a-kind",
        ("CL120",),
        "take all of them and weight what each brings by the mask: "
        "`out.index_add(0, target, x[source] * mask[:, None])`",
        _are_ends_of_edges,
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
        "distinct-counted",
        ("CL120",),
        "mark what is there in a table of fixed size: "
        "`torch.zeros(n, dtype=torch.bool).index_fill(0, ids, True).sum()`",
        lambda place: place.operation == "unique" and _are_counted(place),
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
