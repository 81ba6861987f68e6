"""Which files a command line means."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from compilelint.project.discovery import Discovery, Excludes, discover


def tree(root: Path, *paths: str) -> None:
    """Make files (a text may follow behind `=`) and folders (a path ending in `/`)."""
    for entry in paths:
        name, _, text = entry.partition("=")
        path = root / name
        if name.endswith("/"):
            path.mkdir(parents=True, exist_ok=True)
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def names(found: Discovery, root: Path) -> list[str]:
    return [os.path.relpath(path, root).replace(os.sep, "/") for path in found.files]


def test_folders_are_walked_in_order(tmp_path: Path) -> None:
    tree(tmp_path, "b.py", "a.py", "sub/z.py", "sub/a.py", "sub/n.ipynb", "x.pyi", "x.txt", "x.py.bak", "dir.py/in.py")
    found = discover([str(tmp_path)])
    assert names(found, tmp_path) == ["a.py", "b.py", "dir.py/in.py", "sub/a.py", "sub/n.ipynb", "sub/z.py"]
    assert found.roots == (tmp_path.as_posix(),)
    assert not found.errors
    assert discover([str(tmp_path)]) == found


def test_named_paths_keep_their_order_and_come_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tree(tmp_path, "p/a.py", "p/b.py", "script", "q.ipynb")
    monkeypatch.chdir(tmp_path)
    found = discover(["script", "p/b.py", "p", "./p/../p/a.py", "q.ipynb"])
    assert names(found, tmp_path) == ["script", "p/b.py", "p/a.py", "q.ipynb"]
    assert all(os.path.isabs(path) for path in found.files)


def test_what_is_missing_or_empty_is_an_error(tmp_path: Path) -> None:
    tree(tmp_path, "empty/", "stub.pyi", ".venv/pyvenv.cfg", ".venv/a.py")
    (missing,) = discover([str(tmp_path / "nope")]).errors
    assert (missing.kind, missing.path) == ("missing", f"{tmp_path.as_posix()}/nope")
    for named in ("empty", "stub.pyi"):
        (error,) = discover([str(tmp_path / named)]).errors
        assert error.kind == "no-files"
    (error,) = discover([str(tmp_path)]).errors
    assert error.kind == "no-files"
    assert ".venv" in error.message, "the message says what was left out"


@pytest.mark.parametrize(
    "left_out",
    [
        ".git/h.py",
        ".venv/a.py",
        "node_modules/a.py",
        "__pycache__/a.py",
        "venv/a.py",
        "build/a.py",
        "x/site-packages/a.py",
    ],
)
def test_built_in_excludes(tmp_path: Path, left_out: str) -> None:
    tree(tmp_path, "keep.py", left_out)
    assert names(discover([str(tmp_path)]), tmp_path) == ["keep.py"]
    folder = str(tmp_path / left_out.rpartition("/")[0])
    assert len(discover([folder]).files) == 1, "named, it is linted"
    assert len(discover([str(tmp_path / left_out)]).files) == 1, "and so is a file in it"


def test_packages_with_generic_names_are_kept(tmp_path: Path) -> None:
    tree(tmp_path, "build/__init__.py", "build/a.py", "dist/a.py")
    assert names(discover([str(tmp_path)]), tmp_path) == ["build/__init__.py", "build/a.py"]


def test_environments_of_any_name_are_left_out(tmp_path: Path) -> None:
    tree(tmp_path, "keep.py", "myenv/pyvenv.cfg", "myenv/lib/python3.11/site.py")
    assert names(discover([str(tmp_path)]), tmp_path) == ["keep.py"]


def test_gitignore_at_and_below_the_named_folder(tmp_path: Path) -> None:
    tree(
        tmp_path,
        ".gitignore=*.py\n",  # above: says nothing about what is named below it
        "top/.gitignore=gen_*.py\n/only_here.py\nout/\n# comment\n\nsub/deep/kept.py\n",
        "top/a.py",
        "top/gen_a.py",
        "top/only_here.py",
        "top/out/b.py",
        "top/sub/only_here.py",
        "top/sub/gen_b.py",
        "top/sub/.gitignore=!gen_b.py\nlocal.py\n",
        "top/sub/local.py",
        "top/sub/deep/.gitignore=!kept.py\n",
        "top/sub/deep/kept.py",
    )
    assert names(discover([str(tmp_path / "top")]), tmp_path / "top") == [
        "a.py",
        "sub/gen_b.py",
        "sub/only_here.py",
        "sub/deep/kept.py",
    ]
    assert len(discover([str(tmp_path / "top/gen_a.py")]).files) == 1
    assert names(discover([str(tmp_path)]), tmp_path) == ["top/sub/gen_b.py", "top/sub/deep/kept.py"], "now it speaks"


def test_a_pattern_of_folders_leaves_files_of_that_name(tmp_path: Path) -> None:
    (tmp_path / ".gitignore").write_text("made/\n*.py/\n", encoding="utf-8")
    for name in ("a.py", "made/b.py", "b.py/c.py", "in/made/d.py", "in/e.py"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("", encoding="utf-8")
    assert [path[len(str(tmp_path)) + 1 :] for path in discover([str(tmp_path)]).files] == ["a.py", "in/e.py"]


def test_a_broken_ignore_line_spoils_itself_alone(tmp_path: Path) -> None:
    tree(tmp_path, ".gitignore=!\n/\n[\nb.py\n", "a.py", "b.py", "odd/.gitignore/", "odd/c.py")
    assert names(discover([str(tmp_path)]), tmp_path) == ["a.py", "odd/c.py"]


def test_users_patterns_and_force(tmp_path: Path) -> None:
    tree(tmp_path, "a.py", "docs/b.py", "src/vendored/c.py", "src/d.py", ".venv/e.py")
    patterns = Excludes(patterns=("docs", "src/vendored/"), base=str(tmp_path))
    assert names(discover([str(tmp_path)], patterns), tmp_path) == ["a.py", "src/d.py"]
    named = [str(tmp_path / name) for name in ("docs/b.py", "src/vendored/c.py", "a.py", ".venv/e.py")]
    assert len(discover(named, patterns).files) == 4
    forced = Excludes(patterns=patterns.patterns, base=patterns.base, force=True)
    assert names(discover(named, forced), tmp_path) == ["a.py"]
    assert discover([str(tmp_path / "docs")], forced).errors[0].kind == "no-files"


def test_links(tmp_path: Path) -> None:
    tree(tmp_path, "pkg/a.py", "pkg/sub/b.py", "outside/c.py")
    (tmp_path / "pkg/again.py").symlink_to(tmp_path / "pkg/a.py")
    (tmp_path / "pkg/linked.py").symlink_to(tmp_path / "outside/c.py")
    (tmp_path / "pkg/.#lock.py").symlink_to("user@host.1234")
    (tmp_path / "pkg/self.py").symlink_to("self.py")
    (tmp_path / "pkg/loop").symlink_to(tmp_path / "pkg")
    (tmp_path / "pkg/away").symlink_to(tmp_path / "outside")
    (tmp_path / "named").symlink_to(tmp_path / "pkg")
    alone = discover([str(tmp_path / "pkg")])
    assert names(alone, tmp_path) == ["pkg/a.py", "pkg/sub/b.py"]
    assert [(one.kind, one.path.rpartition("/")[2]) for one in alone.errors] == [("link", "linked.py")]
    with_target = discover([str(tmp_path / "pkg"), str(tmp_path / "outside")])
    assert names(with_target, tmp_path) == ["pkg/a.py", "pkg/linked.py", "pkg/sub/b.py"], (
        "what it leads to is named too"
    )
    both = discover([str(tmp_path / "named"), str(tmp_path / "pkg")])
    assert names(both, tmp_path) == ["named/a.py", "named/sub/b.py"]
    (tmp_path / ".git").mkdir()
    assert names(discover([str(tmp_path / "pkg")]), tmp_path) == ["pkg/a.py", "pkg/linked.py", "pkg/sub/b.py"]


def test_what_would_block_is_left_out_below_and_kept_when_named(tmp_path: Path) -> None:
    tree(tmp_path, "a.py")
    os.mkfifo(tmp_path / "pipe.py")
    assert names(discover([str(tmp_path)]), tmp_path) == ["a.py"]
    assert names(discover([str(tmp_path / "pipe.py")]), tmp_path) == ["pipe.py"], "reading refuses it with a finding"


def test_an_unlistable_folder_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tree(tmp_path, "a.py", "locked/b.py")
    real = os.scandir

    def scandir(path: str) -> object:
        if path.endswith("locked"):
            raise PermissionError(13, "Permission denied")
        return real(path)

    monkeypatch.setattr(os, "scandir", scandir)
    found = discover([str(tmp_path)])
    assert names(found, tmp_path) == ["a.py"]
    assert [(error.kind, error.message) for error in found.errors] == [("unlistable", "permission denied")]


def test_deep_folders_need_no_recursion(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    deep = tmp_path
    for _ in range(300):
        deep = deep / "d"
    deep.mkdir(parents=True)
    (deep / "a.py").write_text("")
    assert len(discover([str(tmp_path)]).files) == 1
