"""Two runs of one source: what is new, gone, more and less."""

from __future__ import annotations

import pytest

from compilelint.model import Step
from compilelint.trace.cause import Cause, Kind
from compilelint.trace.checkout import Here
from compilelint.trace.compare import changes
from compilelint.trace.entry import Entry


def cause(
    line: int, words: str = "x", count: int = 1, seconds: float = 0.0, path: str = "/a/src/net.py", known: str = ""
) -> Cause:
    return Cause(Kind.BREAK, Step(path, line, "forward"), words, known, count=count, cold=seconds)


def kinds(new: list[Cause], old: list[Cause]) -> list[tuple[str, int]]:
    entries = [Entry(one, Here("", one.place.line, "elsewhere")) for one in new]
    return [(one.kind, one.entry.cause.place.line) for one in changes(entries, old)]


def test_the_same_causes_have_not_changed() -> None:
    assert kinds([cause(3), cause(9)], [cause(3), cause(9)]) == []


def test_what_is_new_and_what_is_gone() -> None:
    assert kinds([cause(3), cause(9, "y")], [cause(3), cause(12, "z")]) == [("new", 9), ("gone", 12)]


def test_a_cause_that_moved_within_its_function_is_the_same() -> None:
    assert kinds([cause(14)], [cause(3)]) == []


def test_another_checkout_of_the_same_files_is_the_same() -> None:
    assert kinds([cause(3, path="/b/job/a/src/net.py")], [cause(3, path="/c/a/src/net.py")]) == []


@pytest.mark.parametrize(
    ("new", "old", "expected"),
    [
        pytest.param([cause(3, known="GB1")], [cause(3)], [], id="older torch logs no id for these words"),
        pytest.param([cause(3)], [cause(3, known="GB1")], [], id="nor does newer torch"),
        pytest.param(
            [cause(3, known="GB1"), cause(4, known="GB2")],
            [cause(3)],
            [("new", 3), ("new", 4), ("gone", 3)],
            id="two ids have these words",
        ),
    ],
)
def test_a_break_without_an_id_is_the_one_with_its_words(
    new: list[Cause], old: list[Cause], expected: list[tuple[str, int]]
) -> None:
    assert kinds(new, old) == expected


def test_counts_and_seconds_that_differ() -> None:
    assert kinds([cause(3, count=5)], [cause(3, count=2)]) == [("more", 3)]
    assert kinds([cause(3, seconds=1.0)], [cause(3, seconds=9.0)]) == [("less", 3)]


def test_seconds_within_the_noise_are_the_same() -> None:
    assert kinds([cause(3, seconds=9.5)], [cause(3, seconds=9.0)]) == []
    assert kinds([cause(3, seconds=0.2)], [cause(3, seconds=0.01)]) == []
    assert kinds([cause(3, seconds=1.0)], [cause(3, seconds=2.1)]) == [], "a machine that others use"


def test_what_happens_less_often_is_less_whatever_it_took() -> None:
    assert kinds([cause(3, count=9, seconds=0.22)], [cause(3, count=10, seconds=0.21)]) == [("less", 3)]
    assert kinds([cause(3, count=10, seconds=0.21)], [cause(3, count=9, seconds=0.22)]) == [("more", 3)]
