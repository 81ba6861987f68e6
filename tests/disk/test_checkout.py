"""What a checkout says of itself, read from files made by real git, and what a hostile one cannot have us read."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from compilelint.disk.checkout import checkout_of

REMOTE = "https://github.com/a/b.git"


def git(folder: Path, *words: str) -> str:
    own = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    who = ("-c", "user.name=a", "-c", "user.email=a@b.example", "-c", "protocol.file.allow=always")
    return subprocess.run(
        ["git", *who, *words], cwd=folder, env=own, check=True, capture_output=True, text=True
    ).stdout.strip()


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    top = tmp_path / "top"
    top.mkdir()
    git(top, "init", "-q", "-b", "main")
    git(top, "remote", "add", "origin", REMOTE)
    git(top, "commit", "-q", "--allow-empty", "-m", "first")
    return top


def commit_of(top: Path) -> str | None:
    found = checkout_of(str(top))
    return found.commit if found and found.remote == REMOTE else None


def test_a_branch_a_packed_branch_and_a_detached_head(repository: Path) -> None:
    head = git(repository, "rev-parse", "HEAD")
    assert commit_of(repository) == head
    git(repository, "pack-refs", "--all")
    assert not (repository / ".git/refs/heads/main").exists()
    assert commit_of(repository) == head
    git(repository, "checkout", "-q", "--detach")
    assert commit_of(repository) == head


def test_a_worktree_has_its_own_commit(repository: Path, tmp_path: Path) -> None:
    git(repository, "worktree", "add", "-q", "-b", "other", str(tmp_path / "other"))
    git(tmp_path / "other", "commit", "-q", "--allow-empty", "-m", "second")
    assert commit_of(tmp_path / "other") == git(tmp_path / "other", "rev-parse", "HEAD") != commit_of(repository)


def test_a_submodule_is_of_the_repository_around_it(repository: Path, tmp_path: Path) -> None:
    outer = tmp_path / "outer"
    outer.mkdir()
    git(outer, "init", "-q")
    git(outer, "submodule", "--quiet", "add", str(repository), "sub")
    git(outer / "sub", "remote", "set-url", "origin", REMOTE)
    assert commit_of(outer / "sub") == git(repository, "rev-parse", "HEAD")


def test_without_origin_the_first_remote_counts(repository: Path) -> None:
    git(repository, "remote", "rename", "origin", "upstream")
    assert commit_of(repository) is not None
    git(repository, "remote", "remove", "upstream")
    assert checkout_of(str(repository)) is None


def test_a_folder_without_git_is_no_checkout(tmp_path: Path) -> None:
    assert checkout_of(str(tmp_path)) is None


@pytest.mark.parametrize(
    "head",
    [
        pytest.param("ref: refs/../../../secret", id="a ref that leads out"),
        pytest.param("ref: /etc/hostname", id="a path"),
        pytest.param("not a hash", id="anything"),
        pytest.param("", id="nothing"),
    ],
)
def test_a_head_that_is_none_says_nothing(repository: Path, head: str) -> None:
    (repository / ".git/HEAD").write_text(head)
    (repository.parent / "secret").write_text("a1" * 20)
    assert checkout_of(str(repository)) is None


def test_the_data_of_another_repository_is_not_read(repository: Path, tmp_path: Path) -> None:
    """A `.git` file in an archive may point to any repository of the user; a link of one, too."""
    for name in ("pointing", "linking"):
        (tmp_path / name).mkdir()
    (tmp_path / "pointing" / ".git").write_text(f"gitdir: {repository}/.git\n")
    (tmp_path / "linking" / ".git").symlink_to(repository / ".git")
    assert checkout_of(str(tmp_path / "pointing")) is None
    assert checkout_of(str(tmp_path / "linking")) is None


def test_git_is_never_run(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(subprocess, "Popen", None)
    assert checkout_of(str(repository)) is not None
