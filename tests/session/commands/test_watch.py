"""What `check --watch` waits for: files of the run, what they may import, configuration; nothing that is ignored."""

from __future__ import annotations

import os
import shutil
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from compilelint.config import Options
from compilelint.session.commands.watch import Scope, Watch, scope_of


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project in a folder of its own; `notes.txt`, an ignored folder and an environment are no part of it."""
    top = tmp_path / "top"
    for name in (".git/HEAD", "pkg/__init__.py", "pkg/a.py", "pkg/deep/b.py", "other.py", "notes.txt"):
        _write(top / name)
    _write(top / "node_modules/x.py")
    _write(top / ".venv/lib/y.py")
    _write(top / ".gitignore", "build_of_mine/\n")
    _write(top / "build_of_mine/z.py")
    return top


def _write(path: Path, text: str = "x = 1\n") -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def scope(*paths: Path, **changed: object) -> Scope:
    words = tuple(map(str, paths))
    return scope_of([Options(paths=words, **changed)], words)  # type: ignore[arg-type]


def names(paths: frozenset[str], top: Path) -> set[str]:
    return {os.path.relpath(path, top).replace(os.sep, "/") for path in paths}


@contextmanager
def watching(*paths: Path, never: tuple[str, ...] = ()) -> Iterator[Watch]:
    with Watch(lambda: scope(*paths), never) as watch:
        yield watch


def noticed(watch: Watch, seconds: float = 10) -> tuple[str, ...]:
    """The names of what `changes` gives, within some time."""
    found: list[tuple[str, ...]] = []
    waiting = threading.Thread(target=lambda: found.append(watch.changes()), daemon=True)
    waiting.start()
    waiting.join(seconds)
    assert found, "nothing was noticed"
    return tuple(path.rpartition("/")[2] for path in found[0])


# ------------------------------------------------------------------ the scope


def test_a_folder_is_watched_with_all_below_it_that_is_not_ignored(project: Path) -> None:
    found = scope(project)
    assert names(found.files, project) == {"pkg/__init__.py", "pkg/a.py", "pkg/deep/b.py", "other.py"}
    assert names(found.folders, project) == {"..", ".", "pkg", "pkg/deep"}


def test_a_named_file_brings_what_it_may_import(project: Path) -> None:
    assert "pkg/deep/b.py" in names(scope(project / "pkg" / "a.py").files, project)


def test_outside_of_a_project_the_package_alone_is_walked(tmp_path: Path) -> None:
    for name in ("pkg/__init__.py", "pkg/a.py", "pkg/b.py", "script.py", "elsewhere/deep/c.py"):
        _write(tmp_path / name)
    found = scope(tmp_path / "pkg" / "a.py")
    assert names(found.files, tmp_path) == {"pkg/__init__.py", "pkg/a.py", "pkg/b.py", "script.py"}


def test_excluded_folders_are_not_watched(project: Path) -> None:
    found = scope(project, exclude=("pkg/deep",), exclude_base=str(project))
    assert names(found.folders, project) == {"..", ".", "pkg"}


def test_folders_above_are_watched_for_configuration_up_to_the_repository(project: Path) -> None:
    assert names(scope(project / "pkg" / "deep").folders, project) >= {".", "pkg", "pkg/deep"}


def test_a_baseline_and_a_configuration_elsewhere_are_watched(project: Path, tmp_path: Path) -> None:
    known = tmp_path / "known" / "base.json"
    _write(known, "{}")
    found = scope(project, baseline=str(known), config_file=str(project / "compilelint.toml"))
    assert {str(known.parent), str(project)} <= found.folders
    assert found.named == {str(known), str(project / "compilelint.toml")}


def test_a_path_that_is_gone_is_waited_for_above_it(project: Path) -> None:
    shutil.rmtree(project / "pkg")
    assert str(project) in scope(project / "pkg" / "deep").folders


# ----------------------------------------------------------------- the changes


def test_an_edit_is_noticed(project: Path) -> None:
    with watching(project) as watch:
        _write(project / "pkg" / "a.py", "x = 2\n")
        assert noticed(watch) == ("a.py",)


def test_several_edits_at_once_are_one_change(project: Path) -> None:
    with watching(project) as watch:
        for name in ("pkg/a.py", "other.py", "pkg/deep/b.py"):
            _write(project / name, "x = 2\n")
        assert noticed(watch) == ("other.py", "a.py", "b.py")


def test_an_editor_that_writes_beside_and_renames_is_noticed_once(project: Path) -> None:
    with watching(project / "pkg" / "a.py") as watch:
        _write(project / "pkg" / "4913", "")
        _write(project / "pkg" / ".a.py.swp", "")
        _write(project / "pkg" / "a.py~", "x = 2\n")
        os.replace(project / "pkg" / "a.py~", project / "pkg" / "a.py")
        assert noticed(watch) == ("a.py",)


@pytest.mark.parametrize(
    "name",
    [
        pytest.param("notes.txt", id="no source"),
        pytest.param("build_of_mine/z.py", id="ignored by git"),
        pytest.param("node_modules/x.py", id="left out by name"),
        pytest.param(".venv/lib/y.py", id="an environment"),
        pytest.param("pkg/report.py", id="written by the run"),
    ],
)
def test_what_the_linter_ignores_is_not_noticed(project: Path, name: str) -> None:
    with watching(project, never=(str(project / "pkg/report.py"),)) as watch:
        _write(project / name, "x = 3\n")
        _write(project / "pkg" / "a.py", "x = 2\n")
        assert noticed(watch) == ("a.py",)


def test_a_new_folder_is_watched_from_then_on(project: Path) -> None:
    with watching(project) as watch:
        _write(project / "new" / "c.py")
        assert noticed(watch) == ("c.py",)
        _write(project / "new" / "c.py", "x = 2\n")
        assert noticed(watch) == ("c.py",)


def test_a_watched_folder_may_go_and_come_back(project: Path) -> None:
    with watching(project / "pkg") as watch:
        os.rename(project / "pkg", project.parent / "away")
        assert noticed(watch) == ("__init__.py", "a.py", "b.py")
        os.rename(project.parent / "away", project / "pkg")
        assert noticed(watch) == ("__init__.py", "a.py", "b.py")
        _write(project / "pkg" / "deep" / "b.py", "x = 2\n")
        assert noticed(watch) == ("b.py",)


def test_what_git_ignores_from_now_on_is_gone(project: Path) -> None:
    with watching(project) as watch:
        _write(project / ".gitignore", "build_of_mine/\ndeep/\n")
        assert noticed(watch) == (".gitignore", "b.py")


def test_where_the_system_has_no_watches_left_files_are_looked_at(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from watchfiles import _rust_notify

    real = _rust_notify.RustNotify

    def none_left(paths: list[str], debug: bool, polls: bool, *rest: object) -> object:
        if not polls:
            raise OSError("OS file watch limit reached")
        return real(paths, debug, polls, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(_rust_notify, "RustNotify", none_left)
    with watching(project) as watch:
        assert watch.polls
        os.utime(project / "pkg" / "a.py", (2_000_000_000, 2_000_000_000))
        assert noticed(watch) == ("a.py",)
