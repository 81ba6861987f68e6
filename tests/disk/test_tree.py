"""Which paths belong to a tree: by where they lead, and not by how they are spelled. Attacks: `tests/security`."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from compilelint.disk.tree import leads_out, lies_in, repository_around, tree_of


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A repository `in` with links: to a neighbour, out of it, and a folder out of it; beside it a folder `out`."""
    for folder in ("in/.git", "in/pkg", "out/deep", "in2"):
        (tmp_path / folder).mkdir(parents=True)
    for name in ("in/a.py", "in/pkg/b.py", "out/c.py", "out/deep/d.py", "in2/e.py"):
        (tmp_path / name).write_text("")
    (tmp_path / "in/near.py").symlink_to("a.py")
    (tmp_path / "in/far.py").symlink_to(tmp_path / "out/c.py")
    (tmp_path / "in/folder").symlink_to(tmp_path / "out")
    (tmp_path / "in/inner").symlink_to("pkg")
    (tmp_path / "out/link.py").symlink_to(tmp_path / "in/a.py")
    (tmp_path / "out/here.py").symlink_to("c.py")
    (tmp_path / "way").symlink_to("out")
    return tmp_path


@pytest.mark.parametrize(
    ("path", "out"),
    [
        ("in/a.py", False),
        ("in/near.py", False),
        ("in/far.py", True),
        ("in/folder", True),
        ("in/folder/c.py", True),
        ("in/inner/b.py", False),
        ("out/link.py", True),
        ("out/here.py", False),
        ("way", False),
        ("way/c.py", False),
        ("way/link.py", True),
    ],
)
def test_a_path_leads_out_by_a_link_alone(place: Path, path: str, out: bool) -> None:
    assert leads_out(str(place / path)) is out


@pytest.mark.parametrize(
    ("path", "held"),
    [
        ("in/a.py", True),
        ("in/pkg/b.py", True),
        ("in/near.py", True),
        ("in/far.py", False),
        ("in/folder/c.py", False),
        ("in/inner/b.py", True),
        ("in2/e.py", False),
        ("out/c.py", False),
        ("out/link.py", True),
    ],
)
def test_a_tree_holds_what_really_lies_in_its_repository(place: Path, path: str, held: bool) -> None:
    tree = tree_of([str(place / "in/pkg")])
    assert tree.holds(str(place / path)) is held
    assert tree.holds(str(place / path)) is held, "the second time from memory"


def test_without_a_repository_a_tree_is_what_was_named(place: Path) -> None:
    tree = tree_of([str(place / "out/deep"), str(place / "in/far.py"), str(place / "in2/e.py")])
    real = os.path.realpath(place)
    assert tree.tops == (f"{real}/out/deep", f"{real}/in2/e.py")
    assert [tree.holds(f"{place}/{name}") for name in ("out/deep/d.py", "out/c.py", "in2/e.py")] == [True, False, True]


@pytest.mark.parametrize("mark", [".git", ".hg"])
def test_the_nearest_repository_holds(tmp_path: Path, mark: str) -> None:
    (tmp_path / "a/b/c").mkdir(parents=True)
    assert repository_around(str(tmp_path / "a/b/c")) == ""
    (tmp_path / "a" / mark).mkdir()
    assert repository_around(str(tmp_path / "a/b/c")) == str(tmp_path / "a")
    assert repository_around(str(tmp_path / "a")) == str(tmp_path / "a")
    (tmp_path / "a/b" / mark).write_text("gitdir: elsewhere")
    assert repository_around(str(tmp_path / "a/b/c")) == str(tmp_path / "a/b")


@pytest.mark.parametrize(
    ("real", "folder", "inside"),
    [("/a", "/a", True), ("/a/b", "/a", True), ("/ab", "/a", False), ("/a", "/a/b", False), ("/a", "/", True)],
)
def test_a_path_lies_in_a_folder(real: str, folder: str, inside: bool) -> None:
    assert lies_in(real, folder) is inside
