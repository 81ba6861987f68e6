"""How tensors lie in memory: what an operation makes of a layout, and which views a layout forbids.

Layouts are named as in `values.Tensor`. Guarantee: a layout other than "" and "strided" is what torch gives for inputs
of that layout, sizes of one aside.
"""

from __future__ import annotations

from compilelint.interp.core.args import Args
from compilelint.model.sizes import Sizes
from compilelint.values import Const, Layout, Permuted, Sequence, Tensor

TURNING = ("transpose", "permute", "swapaxes", "swapdims", "movedim", "moveaxis", "t", "adjoint")
_ALONG = {"narrow": 0, "split": 1, "chunk": 1, "unbind": 0, "select": 0}  # which argument says along what
_PARTS = ("narrow", "as_strided", "split", "chunk", "unbind", "select", "diagonal")


def layout_of(op: str, t: Tensor, args: Args, at: int) -> Layout | None:
    """The layout of what a view of `t` returns, whatever the sizes are; None for what makes a tensor of its own.

    Facts say how a result lies whatever the sizes; of these it depends on which dimensions are meant.
    """
    bare = op.removesuffix("_")
    if bare in TURNING:
        return permuted(t, turned(bare, t, args, at))
    if bare in ("expand", "expand_as"):
        return "expanded"
    if op == "contiguous":
        return "" if "memory_format" in args.keywords else "contiguous"
    if bare in _PARTS:
        return _part(bare, t, args, at)
    return "sparse" if t.layout == "sparse" else None


def _part(op: str, t: Tensor, args: Args, at: int) -> Layout:
    """The layout of a part of a tensor: along the first dimension, a part of a contiguous one is contiguous."""
    if t.layout != "contiguous" or op not in _ALONG:
        return "strided"
    along = args.get(at + _ALONG[op], "dim") or Const(0)
    if not isinstance(along, Const):
        return ""  # the caller says which
    first = along.value == 0 or (t.rank is not None and _dimension(along, t.rank) == 0)
    return "contiguous" if first else "strided"


def turned(op: str, t: Tensor, args: Args, at: int) -> list[int] | None:
    """Which dimension of `t` each dimension is after `transpose`, `permute` and their like; None if not known."""
    rank = t.rank
    if rank is None or not 1 < rank <= 8:
        return None
    if op == "t" and rank == 2:
        return [1, 0]
    if op == "adjoint":
        return _swapped(rank, rank - 2, rank - 1)
    if op in ("transpose", "swapaxes", "swapdims"):
        pair = [_dimension(v, rank) for v in (args.get(at, "dim0"), args.get(at + 1, "dim1"))]
        return _swapped(rank, pair[0], pair[1])
    if op == "permute":
        given = args.positional[at:]
        if len(given) == 1 and isinstance(given[0], Sequence) and given[0].items is not None:
            given = list(given[0].items)
        found = [_dimension(v, rank) for v in given]
        wanted = [d for d in found if d is not None] if len(found) == rank else []
        return wanted if sorted(wanted) == list(range(rank)) else None
    return None


def permuted(t: Tensor, wanted: list[int] | None) -> Layout:
    """The layout of `t` with its dimensions in another order; "strided" where that is not known."""
    now = order(t)
    if now is None or wanted is None:
        return "strided"
    after = [now[d] for d in wanted]
    return "contiguous" if after == sorted(after) else Permuted(tuple(after))


def turned_sizes(t: Tensor, wanted: list[int] | None) -> Sizes | None:
    """The sizes of `t` with its dimensions in another order."""
    if t.sizes is None or wanted is None or len(wanted) != len(t.sizes):
        return None
    return tuple([t.sizes[d] for d in wanted])


def order(t: Tensor) -> tuple[int, ...] | None:
    """Which dimension of the contiguous tensor each dimension is; None where the layout does not say."""
    if t.rank is None:
        return None
    if t.layout == "contiguous":
        return tuple(range(t.rank))
    return t.layout.order if isinstance(t.layout, Permuted) and len(t.layout.order) == t.rank else None


def _dimension(value: object, rank: int) -> int | None:
    if isinstance(value, Const) and type(value.value) is int and -rank <= value.value < rank:
        return value.value % rank
    return None


def _swapped(rank: int, a: int | None, b: int | None) -> list[int] | None:
    if a is None or b is None:
        return None
    out = list(range(rank))
    out[a], out[b] = out[b], out[a]
    return out
