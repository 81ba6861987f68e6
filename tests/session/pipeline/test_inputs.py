"""What a run is about: the folder that marks of findings count from."""

from __future__ import annotations

from itertools import permutations
from pathlib import Path

import pytest

from compilelint.session.pipeline.inputs import base_of_all


@pytest.mark.parametrize(
    ("marks", "base"),
    [
        pytest.param((), "", id="no repository: what all paths lie in"),
        pytest.param((".git",), "", id="a repository around all"),
        pytest.param(("a/.git", "b/.git"), "", id="a repository each"),
        pytest.param(("a/.git", "a/x/pyproject.toml"), "", id="a repository around some"),
    ],
)
def test_the_base_is_the_same_in_any_order(tmp_path: Path, marks: tuple[str, ...], base: str) -> None:
    """Marks of findings count from it: named in another order, all alerts would close and open again."""
    for name in ("a/x", "b", "c"):
        (tmp_path / name).mkdir(parents=True)
    for mark in marks:
        (tmp_path / mark).mkdir()
    paths = [str(tmp_path / name) for name in ("a/x", "b", "c")]
    assert {base_of_all(order) for order in permutations(paths)} == {str(tmp_path / base).rstrip("/")}


def test_paths_of_one_repository_count_from_it(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "m.py").touch()
    assert base_of_all([str(tmp_path / "a" / "m.py"), str(tmp_path / "a")]) == str(tmp_path)
