"""Lines keep their numbers while others come and go."""

from __future__ import annotations

import random

import pytest

from compilelint.syntax.line_numbers import SPACING, first_numbers, next_numbers

LINES = [f"line {number}" for number in range(30)]


def test_the_first_numbers_leave_room() -> None:
    assert first_numbers(3) == [SPACING, 2 * SPACING, 3 * SPACING]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (LINES, [*LINES[:4], "new", *LINES[4:]]),
        (LINES, [*LINES[:4], *LINES[6:]]),
        (LINES, ["new", *LINES]),
        (LINES, [*LINES, "new"]),
        ([*LINES[:4], "typed", *LINES[4:]], [*LINES[:9], "elsewhere", *LINES[9:]]),
        ([*LINES[:4], "if x:", "    indented", *LINES[5:]], LINES),
    ],
)
def test_a_line_that_stays_keeps_its_number(before: list[str], after: list[str]) -> None:
    numbers = dict(zip(before, first_numbers(len(before)), strict=True))
    now = next_numbers(before, list(numbers.values()), after)
    assert now == sorted(set(now))
    assert [number for line, number in zip(after, now, strict=True) if line in numbers] == [
        numbers[line] for line in after if line in numbers
    ]


def test_a_line_that_changes_keeps_its_number() -> None:
    numbers = first_numbers(30)
    assert next_numbers(LINES, numbers, [*LINES[:4], "another", *LINES[5:]]) == numbers


def test_where_no_room_is_left_all_are_numbered_again() -> None:
    lines, numbers = ["a", "b"], [1, 2]
    assert next_numbers(lines, numbers, ["a", "new", "b"]) == first_numbers(3)


def test_numbers_ascend_whatever_is_edited() -> None:
    chance = random.Random(1)
    lines, numbers = list(LINES), first_numbers(len(LINES))
    for _ in range(2000):
        at, after = chance.randrange(len(lines) + 1), list(lines)
        if chance.random() < 0.6:
            after[at:at] = [chance.choice(("", "x = 1", f"line {chance.randrange(99)}"))] * chance.randrange(1, 4)
        else:
            del after[at : at + chance.randrange(1, 4)]
        numbers = next_numbers(lines, numbers, after)
        lines = after
        assert len(numbers) == len(lines)
        assert numbers == sorted(set(numbers))
