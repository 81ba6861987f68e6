"""What stands in `__init__` must have run as all else; that a target is built is watched too."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from compilelint.dynamic.sides import Seen, seen_from, sides

pytestmark = pytest.mark.dynamo

OLD = """class Part:
    def __init__(self, wide=False):
        self.size = 2
        if wide:
            self.size = 4


class Other(Part):
    def __init__(self):
        super().__init__()
        self.left = 1


def made():
    return Part()
"""


def _missed(old: str, new: str, folder: Path) -> list[str]:
    seen = [_seen(folder / name, text) for name, text in (("old.py", old), ("new.py", new))]
    return [one.words for one in sides(old, new, *seen) if not one.happened]


def _seen(path: Path, text: str) -> Seen:
    from compilelint.dynamic.worker.coverage import watch_of

    program: dict[str, Any] = {}
    watch = watch_of((str(path),))
    with watch.importing():
        exec(compile(text, str(path), "exec"), program)
    with watch:
        program["made"]()
    return seen_from(watch.seen()[str(path)])


@pytest.mark.parametrize(
    ("old", "new"),
    [
        pytest.param("self.size = 2", "self.size = 1 + 1", id="a statement"),
        pytest.param("    self.size = 2", "    for _ in (1,):\n            self.size = 2", id="in a block that ran"),
        pytest.param("return Part()", "part = Part()\n    return part", id="in the function that builds"),
    ],
)
def test_what_ran_while_it_was_built_counts(old: str, new: str, tmp_path: Path) -> None:
    assert _missed(OLD, OLD.replace(old, new), tmp_path) == []


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        pytest.param("self.left = 1", "self.left = 0 + 1", "`self.left = 1` ran", id="of a class that was not built"),
        pytest.param("self.size = 4", "self.size = 2 + 2", "`self.size = 4` ran", id="in a block that did not run"),
        pytest.param(
            "self.size = 2\n",
            "self.size = 4 if wide else 2\n",
            "`4 if wide else 2` took its first side",
            id="a choice needs both its sides",
        ),
    ],
)
def test_what_did_not_run_must_be_seen(old: str, new: str, words: str, tmp_path: Path) -> None:
    assert words in _missed(OLD, OLD.replace(old, new), tmp_path)
