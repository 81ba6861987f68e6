"""Which sizes a tensor can be viewed in without a copy: torch's rule (`computeStride`), on sizes that are symbols.

A view splits and merges dimensions of a tensor only within stretches of dimensions that lie side by side in memory: at
each border between two stretches the new sizes must have a border too. Borders are compared as the product of all
sizes behind them. What is not provable stays open (`View.raises` is None). Sizes that happen to be equal or one are
left aside.
"""

from __future__ import annotations

from typing import NamedTuple

from compilelint.interp.core.args import Args
from compilelint.interp.core.measured import argument
from compilelint.interp.devices.layouts import TURNING, layout_of, order, permuted, turned, turned_sizes
from compilelint.model.sizes import (
    ONE,
    PER_TENSOR,
    Factor,
    Size,
    Sizes,
    Symbol,
    apart,
    multiple,
    of_symbol,
    over,
    product,
    replaced,
    solved,
)
from compilelint.torchfacts.result_rules import Arguments
from compilelint.torchfacts.size_rules import SIZES, left_over
from compilelint.values import Layout, Permuted, Tensor

_RESIZING = {"view": "viewed", "reshape": "viewed", "flatten": "flattened", "unflatten": "unflattened"}


class View(NamedTuple):
    """Whether the view raises (None: not known), and the layout and sizes that it has if it does not."""

    raises: bool | None
    layout: Layout = ""
    sizes: Sizes | None = None


class _Border(NamedTuple):
    """The product of the new sizes behind a border; where one is not known of the others, which it is a multiple of."""

    size: Size
    exact: bool


def view_of(op: str, t: Tensor, args: Args, at: int) -> View:
    """`t.view(...)`, `.reshape(...)` without its copy, and their like; sizes begin at place `at` of the arguments."""
    if t.rank is None or args.star is not None or args.double_star is not None:
        return View(None)
    source = tuple(size or _unknown(d) for d, size in enumerate(t.sizes or (None,) * t.rank))
    given = [argument(t.but(sizes=source)), *map(argument, args.positional[at:])]
    call = Arguments(given, {name: argument(value) for name, value in args.keywords.items()})
    wanted = SIZES[_RESIZING[op]](call)
    return View(None) if wanted is None else viewed(t, source, wanted)


def lying(op: str, first: Tensor, args: Args, at: int) -> tuple[Layout | None, Sizes | None]:
    """How the result lies, and its sizes, where both follow from those of `first`; None where they do not."""
    bare = op.removesuffix("_")
    if bare in TURNING:
        wanted = turned(bare, first, args, at)
        return permuted(first, wanted), turned_sizes(first, wanted)
    if bare not in _RESIZING:
        return layout_of(op, first, args, at), None
    copies = op in ("reshape", "flatten")
    if first.layout == "contiguous" or (copies and first.layout == ""):  # what was no view is a copy
        return "contiguous", None
    view = view_of(bare, first, args, at)
    return "contiguous" if copies and view.raises else "" if view.raises else view.layout, None


def _unknown(d: int) -> Size:
    """What stands for a size that is not known: it is above one, and may be any other."""
    return of_symbol(Symbol(-(d + 1) * PER_TENSOR, "?"))


def _nameable(size: Size | None) -> Size | None:
    hidden = size is not None and any(isinstance(one, Symbol) and one.serial < 0 for one, _ in size.factors)
    return None if hidden else size


def viewed(t: Tensor, source: tuple[Size, ...], wanted: Sizes) -> View:
    """A tensor of `source` sizes in other sizes, as far as these are known."""
    total = product(source)
    known = left_over(wanted, total)
    sizes: Sizes | None = tuple(map(_nameable, known))
    sizes = sizes if sizes is not None and any(sizes) else None
    now = order(t)
    if now is None:
        return View(None, "", sizes)
    dims = [d for d, size in enumerate(source) if size != ONE]
    places = sorted(now[d] for d in dims)
    lies = [places.index(now[d]) for d in dims]
    starts = [i for i in range(1, len(dims)) if lies[i] != lies[i - 1] + 1]
    if starts and len(starts) >= sum(size != ONE for size in known):
        return View(True, "", sizes)  # fewer dimensions than stretches
    if None not in known and total is not None:
        ratio = over(product(known), total)
        solution = None if ratio is None or ratio == ONE else solved(ratio, _kept(source))
        if solution is not None:
            source = tuple(replaced(size, *solution) or size for size in source)
            known = tuple(replaced(size, *solution) for size in known)
            total = product(source)
        elif ratio != ONE:
            return View(None, "", sizes)
    behind = [product(source[d] for d in dims[start:]) for start in starts]
    raises, at_border = _meet(behind, _borders(known, total))
    if raises is False and total is None:
        raises = None
    if raises is not False:
        return View(raises, "", sizes)
    return View(False, _layout(len(known), at_border, [lies[i] for i in (0, *starts)]) if dims else "contiguous", sizes)


def _meet(stretches: list[Size | None], borders: list[_Border | None]) -> tuple[bool | None, list[int]]:
    """Whether a border between stretches, by the product of all sizes behind it, meets no new one, and those met."""
    met: list[int] = []
    raises: bool | None = False
    for behind in stretches:
        equal = next((i for i, one in enumerate(borders) if one is not None and one.exact and one.size == behind), None)
        if equal is not None:
            met.append(equal)
        elif behind is not None and all(one is not None and _differs(behind, one) for one in borders):
            return True, met
        else:
            raises = None
    return raises, met


def _kept(source: tuple[Size, ...]) -> frozenset[Factor]:
    """The symbols of the tensor itself; what stands for unknown sizes is solved for first."""
    return frozenset(one for size in source for one, _ in size.factors if not isinstance(one, Symbol) or one.serial > 0)


def _borders(wanted: Sizes, total: Size | None) -> list[_Border | None]:
    """The borders in front of each new dimension, from both ends where a size in between is not known."""
    found: list[_Border | None] = []
    for i in range(len(wanted)):
        exact = product(wanted[i:]) or over(total, product(wanted[:i]))
        rest = product(size for size in wanted[i:] if size is not None)
        found.append(_Border(exact, True) if exact is not None else None if rest is None else _Border(rest, False))
    return found


def _differs(behind: Size, border: _Border) -> bool:
    return apart(behind, border.size) if border.exact else multiple(behind, border.size)


def _layout(rank: int, borders: list[int], lying: list[int]) -> Layout:
    """How the new dimensions lie: stretches of them as the old ones lay; `lying` holds the place of each stretch."""
    ends = [*borders, rank]
    stretches = [range(first, end) for first, end in zip([0, *borders], ends, strict=True)]
    in_memory = [d for _, dims in sorted(zip(lying, stretches, strict=True), key=lambda one: one[0]) for d in dims]
    after = tuple(in_memory.index(d) for d in range(rank))
    return "contiguous" if after == tuple(range(rank)) else Permuted(after)
