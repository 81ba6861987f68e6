"""Sizes fitted to runs: the simplest expression that agrees with all of them, and none where too little was seen."""

from __future__ import annotations

import pytest

from compilelint.fixes.engine.fitted_sizes import Size, fitted

ROWS = Size("x.shape[0]", (2, 3, 7), axis=0)
WIDE = Size("x.shape[1]", (8, 8, 8), axis=1)
LONG = Size("y_0", (10, 4, 6), "y_0", "y.shape[0]", 0)


@pytest.mark.parametrize(
    ("values", "text"),
    [
        pytest.param((2, 3, 7), "x.shape[0]", id="the size itself"),
        pytest.param((3, 4, 8), "x.shape[0] + 1", id="one more"),
        pytest.param((1, 2, 6), "x.shape[0] - 1", id="one less"),
        pytest.param((6, 9, 21), "x.shape[0] * 3", id="times a number"),
        pytest.param((5, 2, 3), "y_0 // 2", id="divided by a number, of a tensor that must be passed"),
        pytest.param((16, 24, 56), "x.shape[0] * 8", id="a number is simpler than another size"),
        pytest.param((20, 12, 42), "x.shape[0] * y_0", id="a product of two"),
        pytest.param((12, 7, 13), "x.shape[0] + y_0", id="a sum of two"),
        pytest.param((5, 5, 5), "5", id="always the same"),
        pytest.param((8, 8, 8), "8", id="always the same, as another axis of an input"),
    ],
)
def test_the_simplest_that_agrees(values: tuple[int, ...], text: str) -> None:
    found = fitted(values, [ROWS, WIDE, LONG])
    assert found is not None
    assert found.text == text


def test_a_size_that_stays_is_that_of_an_input_along_its_axis() -> None:
    assert (found := fitted((8, 8, 8), [ROWS, WIDE], axis=1)) is not None
    assert found.text == "x.shape[1]"


@pytest.mark.parametrize(
    ("values", "sizes"),
    [
        pytest.param((2, 3), [Size("n", (2, 3))], id="two values could be many things"),
        pytest.param((4, 4), [Size("n", (2, 3))], id="the same in two runs may change in a third"),
        pytest.param((4, 9, 50), [ROWS], id="squares of it in two of three"),
        pytest.param((1, 5, 2), [ROWS, WIDE, LONG], id="numbers of data"),
        pytest.param((1, 5, 2), [], id="nothing to fit it to"),
    ],
)
def test_nothing_where_runs_show_none(values: tuple[int, ...], sizes: list[Size]) -> None:
    assert fitted(values, sizes) is None
