"""The language of measured results: what each rule says, and that it is silent where it cannot know."""

from __future__ import annotations

import pytest

from compilelint.torchfacts.result_rules import DTYPES, RANKS, Argument, Arguments, dtype_by, layout_by, rank_by


def tensor(dtype: str = "float", rank: int | None = 2, order: str | None = "") -> Argument:
    return Argument("tensor", dtype, rank, order=order)


def number(value: int) -> Argument:
    return Argument("int", value=value)


def items(*found: Argument) -> Argument:
    return Argument("sequence", items=found)


def text(value: str) -> Argument:
    return Argument("text", value=value)


UNKNOWN = Argument("unknown")
NOTHING_KNOWN = Arguments([UNKNOWN] * 5, {})


@pytest.mark.parametrize(
    ("rule", "given", "expected"),
    [
        ("same", [tensor("int")], "int"),
        ("same", [UNKNOWN, tensor("int")], ""),
        ("second", [tensor("int"), tensor("float")], "float"),
        ("counted", [tensor("bool")], "int"),
        ("floating", [tensor("int")], "float"),
        ("promoted", [tensor("int"), Argument("float")], "float"),
        ("promoted", [tensor("int"), UNKNOWN], ""),
        ("promoted counted", [Argument("bool")], "int"),
        ("numbers", [number(1), Argument("float")], "float"),
        ("bool:int float:float", [tensor("bool")], "int"),
        ("bool:int float:float", [tensor("int")], ""),
    ],
)
def test_dtypes(rule: str, given: list[Argument], expected: str) -> None:
    assert dtype_by(rule, Arguments(given, {})) == expected


@pytest.mark.parametrize(
    ("rule", "given", "expected"),
    [
        ("reduced 1", [tensor(rank=None)], 0),
        ("reduced 1", [tensor(rank=3), number(0)], 2),
        ("reduced 1", [tensor(rank=3), items(number(0), number(1))], 1),
        ("reduced 1", [tensor(rank=3), number(0), Argument("bool", value=True)], 3),
        ("reduced 1", [tensor(rank=3), number(0), Argument("bool")], None),
        ("reduced last 1", [tensor(rank=3)], 2),
        ("reduced pair 2", [tensor(rank=3)], 1),
        ("product", [tensor(rank=1), tensor(rank=1)], 0),
        ("product", [tensor(rank=4), tensor(rank=2)], 4),
        ("broadcast", [tensor(rank=1), tensor(rank=3)], 3),
        ("broadcast", [tensor(rank=1), UNKNOWN], None),
        ("sizes 1", [tensor(), number(2), number(3)], 2),
        ("sizes 1", [tensor(), items(number(2))], 1),
        ("tiled 1", [tensor(rank=3), number(2)], 3),
        ("flat without 2", [tensor(), number(2)], 1),
        ("flat without 2", [tensor(), number(2), number(0)], 2),
        ("flattened", [tensor(rank=4), number(1)], 2),
        ("flattened", [tensor(rank=None)], 1),
        ("unflattened", [tensor(rank=3), number(-1), items(number(2), number(4))], 4),
        ("loss second", [tensor(), tensor(rank=1)], 0),
        ("inner", [tensor(rank=2), tensor(rank=3)], 3),
        ("contracted", [tensor(rank=3), tensor(rank=3), number(1)], 4),
        ("contracted", [tensor(rank=3), tensor(rank=3), Argument("int")], None),
        ("equation", [text("bij, bjk -> bik"), tensor(), tensor()], 3),
        ("equation", [text("ij,jk"), tensor(), tensor()], 2),
        ("equation", [text("...i->..."), tensor()], None),
        ("quantile", [tensor(), Argument("float"), number(0)], 1),
        ("quantile", [tensor(), tensor(rank=1), number(0)], 2),
        ("depth", [items(items(number(1)))], 2),
        ("1:2 2:1", [tensor(rank=1)], 2),
    ],
)
def test_ranks(rule: str, given: list[Argument], expected: int | None) -> None:
    assert rank_by(rule, Arguments(given, {})) == expected


def test_the_reduction_of_a_loss_decides() -> None:
    def rank(word: Argument) -> int | None:
        return rank_by("loss same", Arguments([tensor(), tensor()], {"reduction": word}))

    assert (rank(text("none")), rank(text("sum")), rank(UNKNOWN)) == (2, 0, None)


@pytest.mark.parametrize(
    ("rule", "given", "expected"),
    [
        ("contiguous", [tensor(order=None)], ""),
        ("same", [tensor(order="10")], "10"),
        ("same", [tensor(order="10"), tensor(order="")], None),
        ("same", [tensor(order="?")], None),
        ("kept", [tensor(), tensor()], ""),
        ("kept", [tensor(), tensor(order=None)], None),
        ("equation", [text("bhij,bhjd->bihd"), tensor(), tensor()], "0213"),
        ("equation", [text("bhij,bhjd->bhid"), tensor(), tensor()], ""),
        ("equation", [text("ij,jd->id"), tensor(), tensor()], ""),
        ("equation", [text("i,j->ij"), tensor(), tensor()], None),
    ],
)
def test_layouts(rule: str, given: list[Argument], expected: str | None) -> None:
    assert layout_by(rule, Arguments(given, {}), 2) == expected


@pytest.mark.parametrize("rule", [name for name in DTYPES if not name.startswith("=")])
def test_no_dtype_is_made_up(rule: str) -> None:
    assert dtype_by(rule, NOTHING_KNOWN) == ""


@pytest.mark.parametrize("rule", [name for name in RANKS if not name.startswith(("=", "loss"))])
def test_no_rank_is_made_up(rule: str) -> None:
    assert rank_by(rule, NOTHING_KNOWN) is None


def test_a_tensor_by_name_stands_where_it_stands_only_if_it_is_alone() -> None:
    assert rank_by("second", Arguments([tensor()], {"weight": tensor(rank=5)})) == 5
    assert rank_by("second", Arguments([tensor()], {"bias": tensor(rank=1), "weight": tensor(rank=5)})) is None
