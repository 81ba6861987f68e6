"""Arguments as people write them, to call any operation with: alone, with a dimension, a number, a second tensor.

Most raise for most operations; those that run say what the operation returns. Tensors come in four families of sizes:
all different, so that what fits fits for a reason; all 2, so that products, squares and pairs fit; like an image; with
ones, which `squeeze` takes away.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Literal, TypeAlias

import torch

Form = tuple[tuple[Any, ...], dict[str, Any]]
Families = tuple[tuple[str, torch.dtype, tuple[int, ...]], ...]
Turned = Literal["", "reversed", "heads"]

_SIZES = {"different": (2, 3, 4, 5), "twos": (2, 2, 2, 2), "image": (2, 4, 6, 6), "ones": (2, 1, 3, 1)}
_FIRST: Families = (
    ("different", torch.float32, (1, 2, 3)),
    ("twos", torch.float32, (1, 2, 3)),
    ("different", torch.int64, (2,)),
)
_THEN: Families = (
    ("different", torch.float32, (0, 4)),
    ("different", torch.int64, (0, 1, 3)),
    ("different", torch.bool, (0, 1, 2, 3)),
    ("different", torch.complex64, (0, 1, 2)),
    ("twos", torch.float32, (4,)),
    ("twos", torch.int64, (1, 2, 3)),
    ("twos", torch.bool, (2,)),
    ("twos", torch.complex64, (2, 3)),
    ("image", torch.float32, (3, 4)),
    ("ones", torch.float32, (2, 3)),
)
_TURNED = (("different", torch.float32, (2, 3, 4)), ("twos", torch.float32, (2,)))
_HEADS = (("different", torch.float32, (3, 4)), ("twos", torch.float32, (3, 4)), ("image", torch.float32, (4,)))


@functools.cache
def _made(dtype: torch.dtype, sizes: tuple[int, ...], turned: Turned) -> torch.Tensor:
    """No zeros, so that divisions and logarithms are defined; few distinct values, so that they are indices too."""
    if turned == "reversed":
        return _made(dtype, sizes[::-1], "").permute(*reversed(range(len(sizes))))
    if turned == "heads":  # as attention swaps them: the last dimension stays where it is
        at = len(sizes) - 3
        swapped = (*sizes[:at], sizes[at + 1], sizes[at], sizes[-1])
        return _made(dtype, swapped, "").transpose(at, at + 1)
    return (torch.arange(math.prod(sizes)) % 2 + (0 if dtype is torch.int64 else 1)).reshape(sizes).to(dtype)


def call_with_tensors(run: Callable[[Sequence[Any], Mapping[str, Any]], bool]) -> None:
    """Hand `run` every form on tensors of every family, rank and dtype; each call gets tensors of its own.

    `run` returns whether the call ran. A form that raised on everything in the first families is not tried on the rest.
    """
    runs: set[int] = set()
    passes: tuple[tuple[Families, Turned], ...] = (
        (_FIRST, ""),
        (_THEN, ""),
        (_TURNED, "reversed"),
        (_HEADS, "heads"),
    )
    for families, turned in passes:
        for family, dtype, ranks in families:
            for rank in ranks:
                for number, (args, kwargs) in enumerate(_forms(family, dtype, rank, turned)):
                    if (families is _FIRST or number in runs) and run(args, kwargs):
                        runs.add(number)


_REST: tuple[tuple[Any, ...], ...] = (
    (), (0,), (-1,), (1,), (2,), (0.5,), (True,), (2, 0), (0, 1), (1, 2), (-2, -1), (0.5, 0), (0, True), (0, 0),
    (0, 1, 1), (0, 0, 1), (0.5, 0, True), ((0, 1),), ((1, 0),), ([0, 1], True), ((-1,),), ((2, 2),), (0, (1, 2)),
    ([1, 1],), (2, 2), (1, 2, 2), ((4, -1),), (-1, 2), (2, -1), (None,), (None, 0), (2, (0, 1)), ("fro",),
    (1, True), (0, 2, 1), (-1, 2, 1), ((0, -1),), (1, (0, -1)), (-1, (0, 1)), ("cpu",), (torch.float64,),
    (torch.int32,), (torch.bool,), (False,), (True, True), (0.5, True), (1, 0), (0, -1), (2.5, 1),
)  # fmt: skip
_NAMED: tuple[dict[str, Any], ...] = (
    {"dim": 0}, {"dim": -1}, {"dim": (0, 1)}, {"dim": 0, "keepdim": True}, {"keepdim": True}, {"dim": 1},
    {"dim": (-1,), "keepdim": True}, {"dtype": torch.float64}, {"dtype": torch.int32}, {"dim": 0, "dtype": torch.int64},
    {"p": 2}, {"p": 2, "dim": 0}, {"unbiased": False}, {"correction": 0}, {"descending": True}, {"k": 1},
    {"return_inverse": True}, {"return_counts": True}, {"return_inverse": True, "return_counts": True},
    {"as_tuple": True}, {"largest": False}, {"dims": (0,)}, {"ord": 2}, {"full": True}, {"start_dim": 1},
    {"start_dim": 1, "end_dim": -1}, {"n": 2}, {"diagonal": 1}, {"scale_factor": 2}, {"stride": 1},
    {"return_inverse": True, "dim": 0}, {"return_counts": True, "dim": 0},
    {"axis": 0}, {"axis": -1, "keepdims": True}, {"unbiased": True}, {"correction": 1, "dim": 0}, {"other": 2},
    {"other": 0.5}, {"dim0": 0, "dim1": 1}, {"dim": None}, {"dims": (0, 1)},
)  # fmt: skip
_TENSOR_REST: tuple[dict[str, Any], ...] = (
    {"dim": 0}, {"dim": -1}, {"reduction": "none"}, {"reduction": "sum"}, {"reduction": "mean"}, {"alpha": 2},
    {"rounding_mode": "floor"}, {"rounding_mode": "trunc"}, {"rounding_mode": None}, {"keepdim": True}, {"dims": 1},
    {"right": True}, {"p": 1},
)  # fmt: skip


_One: TypeAlias = Callable[[], torch.Tensor]
_Made: TypeAlias = Callable[[torch.dtype, int], torch.Tensor]


def _forms(family: str, dtype: torch.dtype, rank: int, turned: Turned) -> Iterator[Form]:
    """As many forms for every family, dtype and rank, in one order: a form is known by its number."""
    sizes = _SIZES[family]

    def made(kind: torch.dtype, of: int) -> torch.Tensor:
        of = min(max(of, 0), len(sizes))
        dims = sizes[:of] if family != "image" else sizes[4 - of :]
        return _made(kind, dims, turned if of == rank else "").clone(memory_format=torch.preserve_format)

    def x() -> torch.Tensor:
        return made(dtype, rank)

    for rest in _REST:
        yield (x(), *rest), {}
    for named in _NAMED:
        yield (x(),), named
    yield from _beside_another(x, made, dtype, rank)
    for times in (1, 2, 3):
        yield ([x() for _ in range(times)],), {}
        yield ([x() for _ in range(times)], 0), {}
        yield tuple(x() for _ in range(times)), {}
    yield ([x(), x()],), {"dim": -1}
    yield ([x(), x()], -1), {}
    for one in (x(), 0.0, 1):
        yield (made(torch.bool, rank), x(), one), {}
        yield (made(torch.bool, rank), one, x()), {}
    yield (made(torch.bool, rank), 1.0, 0), {}
    yield (made(torch.int64, rank - 1), x()), {}
    yield from _of_tensors_without_dimensions(x, made, rank)
    yield from _beside_several(x, made, dtype, rank)


def _beside_another(x: _One, made: _Made, dtype: torch.dtype, rank: int) -> Iterator[Form]:
    """One tensor with another of each dtype and rank, with indices, and with numbers."""
    others = [(dtype, n) for n in (0, 1, rank - 1, rank, rank + 1)]
    others += [(torch.float32, 0), (torch.float32, rank), (torch.int64, rank), (torch.int64, 0), (torch.bool, rank)]
    for kind, of in others:
        yield (x(), made(kind, of)), {}
        yield (x(), made(kind, of), 0), {}
        yield (x(), made(kind, of), 1), {}
        yield (x(), made(kind, of), x()), {}
        yield (x(), made(kind, of)), {"dim": 0}
        yield (x(),), {"other": made(kind, of)}
        yield ([x(), made(kind, of)],), {}
        yield (made(kind, of), x()), {}
    for named in _TENSOR_REST:
        yield (x(), x()), named
        yield (x(), made(torch.int64, rank - 1)), named
    for dim in (0, -1):
        yield (x(), dim, made(torch.int64, rank)), {}
        yield (x(), dim, made(torch.int64, 1)), {}
        yield (x(), dim, made(torch.int64, rank), x()), {}
        yield (x(), dim, made(torch.int64, rank), 1), {}
    yield (x(), x(), 2), {}
    yield (x(), x(), 0.5), {}
    yield (x(), x(), x(), x()), {}
    yield (x(), made(torch.bool, rank), 1), {}
    yield (x(), made(torch.bool, rank), 0.5), {}
    yield (x(), 2), {"dim": 0}
    yield (x(), 0.5), {"dim": 0}
    yield (x(), 1, 0.5), {}


def _beside_several(x: _One, made: _Made, dtype: torch.dtype, rank: int) -> Iterator[Form]:
    """One tensor with fractions, flags, conditions, or two others."""
    fractions = torch.tensor([0.25, 0.5])
    for rest in ((), (0,), (1,), (-1,)):
        yield (x(), fractions, *rest), {}
    yield ((x(), fractions), {"dim": 0})
    yield (x(), x().flatten()), {}
    yield (x(), 0.5, 1, 0), {}
    for flags in ((1, 0), (0, 1), (1, 1), (2.0, 1, 1)):
        yield (x(), x(), *flags), {}
    for one, other in ((made(dtype, 0), x()), (x(), made(dtype, 0)), (made(dtype, 0), made(torch.float32, rank))):
        yield (made(torch.bool, 0), one, other), {}
        yield (made(torch.bool, rank), one, other), {}
    yield (x(), made(torch.int64, rank), made(torch.int64, rank)), {}
    yield (x(), 0, torch.tensor(0)), {}
    yield (x(), x(), 1, True, False), {}
    yield (x(), made(torch.float32, rank), made(torch.float32, rank)), {}
    yield (x(), made(torch.complex64, rank), made(torch.complex64, rank)), {}
    yield (made(torch.bool, rank), x(), made(torch.float32, rank)), {}
    for times in (1, 2):
        yield ([x().reshape(())] * times if x().numel() == 1 else [x(), made(dtype, 0)] * times,), {}
    plain = x().contiguous()  # beside one that may be turned
    yield (x(), plain.clone()), {}
    yield (plain.clone(), x()), {}


def _of_tensors_without_dimensions(
    x: Callable[[], torch.Tensor], made: Callable[[torch.dtype, int], torch.Tensor], rank: int
) -> Iterator[Form]:
    """Tensors of no dimension where a number could stand: torch reads those of integers as one."""
    for number in (torch.tensor(1), torch.tensor(2), torch.tensor(0.5)):
        for rest in ((number,), (number, number), (0, number), (number, 0)):
            yield (x(), *rest), {}
        yield (x(), number, x()), {}
        yield (x(), x(), number), {}
        yield (made(torch.bool, rank), number, x()), {}
        yield (made(torch.bool, rank), x(), number), {}
        yield (x(),), {"dim": number}


def without_tensors() -> Iterator[Form]:
    """Sizes, numbers and lists, with and without a dtype; equations with their operands."""
    for equation in _EQUATIONS:
        sides = equation.partition("->")[0].split(",")
        for dtype in (torch.float32, torch.int64, torch.complex64, torch.bool):
            operands = [_made(dtype, tuple(_LENGTHS[letter] for letter in side), "").clone() for side in sides]
            yield (equation, *operands), {}
    for args in _WITHOUT_TENSORS:
        for named in ({}, {"dtype": torch.float32}, {"dtype": torch.int64}, {"device": "cpu"}):
            yield args, named
    for size in ((3,), (2, 3)):
        yield (), {"size": size}
        yield (), {"size": size, "dtype": torch.float32}
        for first in ((0, 5), (5,), (0.0,)):
            yield first, {"size": size}
        yield (size,), {"fill_value": 1.0}


_LENGTHS = dict(zip("bhijd", (2, 3, 4, 5, 6), strict=True))
_EQUATIONS = (
    "ij,jd->id", "ij,jd->di", "bij,bjd->bid", "bhij,bhjd->bihd", "bhij,bhjd->bhid", "bhij,bjhd->bihd", "ij->ji", "ij->",
    "bij->bj", "i,j->ij", "ij,ij->ij", "ij,j->i", "bhid,bhjd->bhij", "bid,bjd->bij", "hij,hjd->hid", "ij,jd",
)  # fmt: skip
_WITHOUT_TENSORS: tuple[tuple[Any, ...], ...] = (
    (), (3,), (2, 3), (2, 3, 4), ((2, 3),), ((3,),), ([2, 3, 4],), (0.0, 1.0, 5), (0, 10, 2), (0, 10), (0.0, 1.0, 0.5),
    (0, 5, (2, 3)), (5, (2, 3)), (5, (4,)), (0, 5, (4,)), ((2, 3), 1.0), ((2, 3), 1), ((2, 3), True), ((4,), 1.0),
    ([1, 2],), ([1.0],), ([[1, 2]],), ([[1.0], [2.0]],), ([True, False],), ([],), (2.5,), (True,), (1,), (4, 4, 1),
    (1, 2, 3.5), (1.5, 2, 3), (1, 2, 3), (1, 2.5), (2.5, 2), (True, 1), (1, True), ([1, 2], 1), ([1.0, 2.0], 0),
)  # fmt: skip
