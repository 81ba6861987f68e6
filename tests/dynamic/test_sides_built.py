"""What stands in `__init__` ran before runs are watched: where a method of the class ran, it was built."""

from __future__ import annotations

from pathlib import Path

import pytest

from compilelint.dynamic.sides import sides
from tests.dynamic.test_sides import watched

pytestmark = pytest.mark.dynamo

OLD = """class Part:
    def __init__(self):
        self.size = 2

    def grown(self, x):
        return x + self.size


class Other(Part):
    def __init__(self):
        super().__init__()
        self.left = 1

    def shrunk(self, x):
        return x - self.left


made = Part()


def f(x):
    return made.grown(x)
"""


def _missed(old: str, new: str, folder: Path) -> list[str]:
    before, after = (watched(folder / f"{name}.py", text, [1]) for name, text in (("old", old), ("new", new)))
    return [one.words for one in sides(old, new, before, after) if not one.happened]


def test_a_plain_statement_counts_where_a_method_ran(tmp_path: Path) -> None:
    assert _missed(OLD, OLD.replace("self.size = 2", "self.size = 1 + 1"), tmp_path) == []


@pytest.mark.parametrize(
    ("old", "new"),
    [
        pytest.param("self.left = 1", "self.left = 0 + 1", id="no method of this class ran"),
        pytest.param("self.size = 2", "self.size = 2 if made else 3", id="a choice needs both its sides"),
        pytest.param("self.size = 2", "if True:\n            self.size = 2", id="in a block it may not have run"),
    ],
)
def test_all_else_must_be_seen(old: str, new: str, tmp_path: Path) -> None:
    text = OLD.replace("made = Part()", "made = None\nmade = Part()")
    assert _missed(text, text.replace(old, new), tmp_path) != []


def test_a_class_that_builds_its_parts_otherwise_proves_nothing_of_its_base(tmp_path: Path) -> None:
    text = OLD.replace("super().__init__()", "self.size = 3").replace("made = Part()", "made = Other()")
    assert _missed(text, text.replace("self.size = 2", "self.size = 1 + 1"), tmp_path) != []
