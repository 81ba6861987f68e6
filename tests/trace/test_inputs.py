"""Which sizes of inputs changed together between two compiles of a frame."""

from __future__ import annotations

import pytest

from compilelint.trace.events import Id, Named, Sized
from compilelint.trace.inputs import Inputs

FIRST, AGAIN = Id(0, 0), Id(0, 1)
Given = dict[str, "tuple[int, ...]"]


def inputs(old: Given, new: Given) -> Inputs:
    found = Inputs()
    for at, given in ((FIRST, old), (AGAIN, new)):
        for number, (source, size) in enumerate(given.items()):
            found.take(Sized(at, (at.compile, number), size))
            found.take(Named(at, (at.compile, number), source))
    return found


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        pytest.param({"x": (2, 8), "y": (2, 4)}, {"x": (3, 8), "y": (3, 4)}, [("y", 0)], id="they share the batch"),
        pytest.param({"x": (2, 8), "y": (2, 4)}, {"x": (3, 8), "y": (2, 4)}, [], id="equal once, by chance"),
        pytest.param({"x": (2, 8), "y": (5, 4)}, {"x": (3, 8), "y": (6, 4)}, [], id="both change, to other sizes"),
        pytest.param({"x": (2, 2)}, {"x": (3, 3)}, [("x", 1)], id="two dimensions of one tensor"),
        pytest.param({"x": (2,), "y": (2,)}, {"x": (3,), "y": (3, 3)}, [], id="another number of dimensions"),
        pytest.param({"x": (2,), "y": (2,)}, {"x": (3,)}, [], id="it is not given again"),
        pytest.param({"x": (2,), "L['self'].w": (2,)}, {"x": (3,), "L['self'].w": (3,)}, [], id="a module keeps it"),
        pytest.param({"y": (2,)}, {"x": (3,), "y": (3,)}, None, id="the log does not say what it was"),
        pytest.param({"x": (2,)}, {"x": (2,)}, None, id="it did not change"),
    ],
)
def test_sizes_that_changed_alike(old: Given, new: Given, expected: list[tuple[str, int]] | None) -> None:
    assert inputs(old, new).together("x", 0, FIRST, AGAIN) == expected


def test_a_source_without_a_size_says_nothing() -> None:
    found = Inputs()
    found.take(Named(FIRST, (0, 0), "x"))
    found.take(Named(AGAIN, (1, 0), "x"))
    assert found.together("x", 0, FIRST, AGAIN) is None


def test_old_compiles_are_forgotten() -> None:
    found = Inputs()
    for number in range(3_000):
        found.take(Sized(Id(number, 0), (number, 0), (number,)))
        found.take(Named(Id(number, 0), (number, 0), "x"))
    assert found.together("x", 0, Id(0, 0), Id(2_999, 0)) is None
    assert found.together("x", 0, Id(2_998, 0), Id(2_999, 0)) == []
