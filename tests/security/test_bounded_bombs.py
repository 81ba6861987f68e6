"""Attacks on time and memory: one small bomb of each class that once hung or ate gigabytes, and what ends it.

`python -m benchmarks.bombs` runs every kind at its full size.
"""

from __future__ import annotations

import pytest

from benchmarks.bombs import BOMBS, drawn
from tests.security.bounded_child import complaint

pytestmark = pytest.mark.slow

# Of each class: these went beyond 10 CPU s or 1 GB before values had sizes, patterns were linear, reports were cut,
# loops in loops had fewer passes and a file one search for fixes.
CLASSES = [
    "values: pair of itself in branches",
    "values: pair of itself joined",
    "values: pair of itself returned through a call",
    "values: pair of itself held by an object",
    "values: tuple added to itself",
    "values: tuple added to itself joined",
    "values: partial of itself joined",
    "values: Sequential of itself joined",
    "values: zip of itself in branches",
    "programs: star arguments",
    "programs: generators that feed each other",
    "programs: globals of globals",
    "programs: conditions in a loop over pairs",
    "programs: finding after finding",
    "values: list that holds itself, in loops",
    "programs: loops in loops over containers that grow",
    "programs: loops in loops that change all of it on the way",
    "programs: fixes in every line, searched for in rounds",
    "constants: power",
    "constants: text repeated",
    "constants: long range",
    "constants: shift",
    "globs: stars in .gitignore",
    "globs: stars in exclude",
    "globs: stars in per-file-ignores",
    "globs: stars in roots",
    "globs: double stars and names in .gitignore",
    "globs: questions and stars in exclude",
    "comments: noqa, hashes",
    "comments: ours, many",
    "comments: ours, open bracket",
    "comments: a suppression on every line",
    "notebooks: assignment of spaces",
    "notebooks: quotes and backslashes",
    "notebooks: many cells with findings",
    "configuration: many per-file patterns",
    "imports: names handed on in a circle",
]


@pytest.mark.parametrize("name", CLASSES)
def test_a_bomb_ends_within_bounds(name: str) -> None:
    assert complaint("bomb", name) == ""


def test_many_tables_of_a_configuration_take_one_walk() -> None:
    """At full size, since the places of all keys were looked through for every table: 7 to 10 CPU seconds."""
    assert complaint("bomb", "configuration: many targets", 5_000, 3) == ""


def test_what_is_drawn_depends_on_the_seed_alone() -> None:
    def files(seed: int) -> list[object]:
        return [hostile.files for _, hostile in drawn(20, seed, BOMBS[:10])]

    assert files(1) == files(1) != files(2)


def test_a_bomb_that_goes_off_is_seen() -> None:
    """The limits are worth their name: what is beyond them is a complaint."""
    assert "CPU s" in complaint("bomb", "files: many files", 300, 0)


def test_what_ends_a_process_that_many_share_costs_itself_alone() -> None:
    first, second, third = complaint("shared", "").split(" | ")
    assert (first, third) == ("well", "well")
    assert "SIGXCPU" in second or "CPU s" in second
