"""How tensors lie in memory: what an operation makes of a layout, and which views a layout forbids.

Layouts are named as in `values.Tensor`. Guarantee: a layout other than "" and "strided" is what torch gives for inputs
of that layout, sizes of one aside.
"""

from __future__ import annotations

from itertools import pairwise

from compilelint.interp.frame import Args
from compilelint.values import Const, Layout, Permuted, Sequence, Tensor

_TURNING = ("transpose", "permute", "swapaxes", "swapdims", "movedim", "moveaxis", "t", "adjoint")
_RESIZING = ("view", "reshape", "flatten", "unflatten")
_PARTS = ("narrow", "as_strided", "split", "chunk", "unbind", "select", "diagonal")


def layout_of(op: str, t: Tensor, args: Args, at: int) -> Layout | None:
    """The layout of what a view of `t` returns; None for what makes a tensor of its own.

    Facts say how a result lies whatever the sizes; of these it depends on sizes and on which dimensions are meant.
    """
    bare = op.removesuffix("_")
    if bare in _TURNING:
        return permuted(bare, t, args, at)
    if bare in _RESIZING:
        copies = op in ("reshape", "flatten") and t.layout == ""  # what was no view is a copy
        return "contiguous" if t.layout == "contiguous" or copies else ""
    if bare in ("expand", "expand_as"):
        return "expanded"
    if op == "contiguous":
        return "" if "memory_format" in args.keywords else "contiguous"
    if bare in _PARTS:
        return "strided"
    return "sparse" if t.layout == "sparse" else None


def permuted(op: str, t: Tensor, args: Args, at: int) -> Layout:
    """The layout after `transpose`, `permute` and their like; "strided" where the order is not known."""
    rank = t.rank
    if rank is None or not 1 < rank <= 8:
        return "strided"
    now = order(t)
    if now is None:
        return "strided"
    if op == "t" and rank == 2:
        wanted: list[int] | None = [1, 0]
    elif op in ("transpose", "swapaxes", "swapdims"):
        pair = [_dimension(v, rank) for v in (args.get(at, "dim0"), args.get(at + 1, "dim1"))]
        wanted = _swapped(rank, pair[0], pair[1])
    elif op == "permute":
        given = args.positional[at:]
        if len(given) == 1 and isinstance(given[0], Sequence) and given[0].items is not None:
            given = list(given[0].items)
        found = [_dimension(v, rank) for v in given]
        wanted = [d for d in found if d is not None] if len(found) == rank else None
        if wanted is None or sorted(wanted) != list(range(rank)):
            return "strided"
    else:
        return "strided"
    if wanted is None:
        return "strided"
    after = [now[d] for d in wanted]
    return "contiguous" if after == sorted(after) else Permuted(tuple(after))


def order(t: Tensor) -> tuple[int, ...] | None:
    """Which dimension of the contiguous tensor each dimension is; None where the layout does not say."""
    if t.rank is None:
        return None
    if t.layout == "contiguous":
        return tuple(range(t.rank))
    return t.layout.order if isinstance(t.layout, Permuted) and len(t.layout.order) == t.rank else None


def forbids_view(t: Tensor, sizes: int) -> bool:
    """Whether `view` to so many sizes fails: it must merge more dimensions than lie side by side in memory."""
    now = order(t)
    if now is None or sizes >= len(now):
        return False
    mergeable = sum(after == before + 1 for before, after in pairwise(now))
    return len(now) - sizes > mergeable


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
