"""The door `--diff-base`: git is asked for names and blobs, and no repository makes it run, fetch or hide anything.

Each case is a repository that tries to have a program run, or a finding hidden, when its changes are looked at.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from compilelint.config import UsageError
from compilelint.session.pipeline.changed import changed_lines, changed_since
from compilelint.session.pipeline.history import History
from tests.security.hostile import BREAKS, compilelint, git

QUIET = BREAKS.replace("    if x.sum() > 0:\n        return x\n", "")


class Repository:
    """A working tree with one commit on `main`, and one line changed since: the finding of `net.py:5`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "work"
        self.folder.mkdir()
        self.mark = folder / "mark"
        self.run = f"touch {self.mark}; cat"
        git(self.folder, "init", "-q", "-b", "main")
        (self.folder / "net.py").write_text(QUIET, encoding="utf-8")
        git(self.folder, "add", "-A")
        git(self.folder, "commit", "-qm", "one")
        (self.folder / "net.py").write_text(BREAKS, encoding="utf-8")

    def configure(self, *pairs: tuple[str, str]) -> None:
        for key, value in pairs:
            git(self.folder, "config", key, value)

    def attribute(self, line: str) -> None:
        (self.folder / ".gitattributes").write_text(f"{line}\n", encoding="utf-8")
        (self.folder / ".git" / "info").mkdir(exist_ok=True)
        (self.folder / ".git" / "info" / "attributes").write_text(f"{line}\n", encoding="utf-8")

    def hook(self, *names: str) -> None:
        for name in names:
            hook = self.folder / ".git" / "hooks" / name
            hook.parent.mkdir(exist_ok=True)
            hook.write_text(f"#!/bin/sh\n{self.run}\n", encoding="utf-8")
            hook.chmod(0o755)


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return Repository(tmp_path)


def _fsmonitor(at: Repository) -> None:
    script = at.folder.parent / "monitor.sh"
    script.write_text(f"#!/bin/sh\ntouch {at.mark}\n", encoding="utf-8")
    script.chmod(0o755)
    at.configure(("core.fsmonitor", str(script)), ("core.fsmonitorHookVersion", "1"))


def _clean_filter(at: Repository) -> None:
    at.attribute("*.py filter=evil")
    at.configure(("filter.evil.clean", at.run), ("filter.evil.smudge", at.run), ("filter.evil.required", "true"))


def _process_filter(at: Repository) -> None:
    at.attribute("*.py filter=evil")
    at.configure(("filter.evil.process", at.run))


def _external_diff(at: Repository) -> None:
    at.attribute("*.py diff=evil")
    at.configure(("diff.external", at.run), ("diff.evil.command", at.run))


def _textconv(at: Repository) -> None:
    at.attribute("*.py diff=evil")
    at.configure(("diff.evil.textconv", at.run), ("diff.evil.cachetextconv", "true"))


def _ssh_command(at: Repository) -> None:
    at.configure(
        ("remote.origin.url", "ssh://127.0.0.1/x"), ("core.sshCommand", at.run), ("remote.origin.promisor", "true")
    )
    _drop_blob(at)


def _promisor(at: Repository) -> None:
    at.configure(
        ("extensions.partialClone", "origin"),
        ("remote.origin.url", f"ext::sh -c {at.run.replace(' ', '% ')}"),
        ("remote.origin.promisor", "true"),
        ("protocol.ext.allow", "always"),
        ("protocol.allow", "always"),
    )
    _drop_blob(at)


def _promisor_of_upload_pack(at: Repository) -> None:
    at.configure(
        ("extensions.partialClone", "origin"),
        ("remote.origin.url", str(at.folder)),
        ("remote.origin.uploadpack", at.run),
        ("remote.origin.promisor", "true"),
    )
    _drop_blob(at)


def _drop_blob(at: Repository) -> None:
    """Take the old text away, so that git would have to fetch it."""
    name = git(at.folder, "rev-parse", "main:net.py")
    (at.folder / ".git" / "objects" / name[:2] / name[2:]).unlink()


def _hooks_path(at: Repository) -> None:
    hooks = at.folder / "hooks"
    hooks.mkdir()
    for name in ("post-index-change", "fsmonitor-watchman", "reference-transaction", "post-checkout"):
        (hooks / name).write_text(f"#!/bin/sh\n{at.run}\n", encoding="utf-8")
        (hooks / name).chmod(0o755)
    at.configure(("core.hooksPath", "hooks"), ("core.fsmonitor", "hooks/fsmonitor-watchman"))


def _hooks(at: Repository) -> None:
    at.hook("post-index-change", "reference-transaction", "fsmonitor-watchman")


def _alias(at: Repository) -> None:
    for name in ("rev-parse", "diff", "ls-files", "ls-tree", "cat-file", "merge-base"):
        at.configure((f"alias.{name}", f"!{at.run}"))


def _include(at: Repository) -> None:
    more = at.folder / "more.cfg"
    more.write_text(f'[core]\n\tfsmonitor = "{at.run}"\n[filter "evil"]\n\tclean = "{at.run}"\n', encoding="utf-8")
    at.attribute("*.py filter=evil")
    at.configure(("include.path", "../more.cfg"), ("includeIf.onbranch:main.path", "../more.cfg"))


def _pager(at: Repository) -> None:
    at.configure(("core.pager", at.run), ("pager.diff", at.run), ("pager.cat-file", "true"), ("core.editor", at.run))


def _alternate_refs(at: Repository) -> None:
    at.configure(("core.alternateRefsCommand", at.run), ("core.gitProxy", at.run), ("core.askPass", at.run))


def _credential(at: Repository) -> None:
    at.configure(("credential.helper", f"!{at.run}"), ("gpg.program", at.run), ("log.showSignature", "true"))


def _another_work_tree(at: Repository) -> None:
    _fsmonitor(at)
    at.configure(("core.worktree", str(at.folder.parent)))


def _worktree_config(at: Repository) -> None:
    at.configure(("extensions.worktreeConfig", "true"))
    (at.folder / ".git" / "config.worktree").write_text(f'[core]\n\tfsmonitor = "{at.run}"\n', encoding="utf-8")


def _embedded_bare(at: Repository) -> None:
    """A folder that git would discover as a bare repository when started in it."""
    inner = at.folder / "pkg"
    git(at.folder, "init", "-q", "--bare", "pkg")
    git(inner, "config", "core.fsmonitor", at.run)
    git(inner, "config", "core.bare", "false")
    git(inner, "config", "core.worktree", "..")
    (inner / "evil.py").write_text(BREAKS, encoding="utf-8")


ATTACKS = [
    pytest.param(_fsmonitor, id="file monitor"),
    pytest.param(_clean_filter, id="clean and smudge filter"),
    pytest.param(_process_filter, id="long running filter"),
    pytest.param(_external_diff, id="external diff"),
    pytest.param(_textconv, id="text conversion"),
    pytest.param(_ssh_command, id="ssh command of a promisor"),
    pytest.param(_promisor, id="promisor remote that is a program"),
    pytest.param(_promisor_of_upload_pack, id="promisor remote whose upload-pack is a program"),
    pytest.param(_hooks_path, id="path of hooks"),
    pytest.param(_hooks, id="hooks of the repository"),
    pytest.param(_alias, id="aliases of the commands we use"),
    pytest.param(_include, id="included configuration"),
    pytest.param(_pager, id="pager and editor"),
    pytest.param(_alternate_refs, id="command for alternate refs"),
    pytest.param(_credential, id="credential helper"),
    pytest.param(_another_work_tree, id="working tree elsewhere"),
    pytest.param(_worktree_config, id="configuration of a worktree"),
    pytest.param(_embedded_bare, id="embedded bare repository"),
]


@pytest.mark.parametrize("attack", ATTACKS)
def test_no_repository_runs_a_program(repository: Repository, attack: Callable[[Repository], None]) -> None:
    attack(repository)
    paths = [".", "pkg"] if (repository.folder / "pkg").is_dir() else ["."]
    for path in paths:
        done = compilelint(repository.folder, "check", path, "--no-cache", "--diff-base", "main", "--output", "concise")
        assert not repository.mark.exists()
        assert done.returncode == 1, done.stderr
    assert (
        "net.py:5:8"
        in compilelint(
            repository.folder, "check", ".", "--no-cache", "--diff-base", "main", "--output", "concise"
        ).stdout
    )


@pytest.mark.parametrize("attack", [_fsmonitor, _clean_filter, _hooks_path])
def test_the_attacks_run_where_git_reads_the_tree(repository: Repository, attack: Callable[[Repository], None]) -> None:
    attack(repository)
    git(repository.folder, "diff", "--stat")
    git(repository.folder, "status", "--porcelain")
    assert repository.mark.exists(), "the case would prove nothing"


def test_a_folder_that_looks_like_a_repository_is_none(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "--bare", "bare")
    (tmp_path / "bare" / "net.py").write_text(BREAKS, encoding="utf-8")
    done = compilelint(tmp_path / "bare", "check", ".", "--no-cache", "--diff-base", "HEAD")
    assert done.returncode == 2
    assert "is not in a git repository" in done.stderr


def test_variables_of_git_lead_nowhere_else(repository: Repository, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    git(other, "init", "-q")
    variables = {"GIT_DIR": str(other / ".git"), "GIT_WORK_TREE": str(other), "GIT_EXTERNAL_DIFF": "false"}
    done = compilelint(repository.folder, "check", ".", "--no-cache", "--diff-base", "main", environment=variables)
    assert done.returncode == 1, done.stderr


# ---------------------------------------------------------------- what git may not hide


def _assumed_unchanged(at: Repository) -> None:
    git(at.folder, "update-index", "--assume-unchanged", "net.py")


def _skip_worktree(at: Repository) -> None:
    git(at.folder, "update-index", "--skip-worktree", "net.py")


def _binary(at: Repository) -> None:
    at.attribute("*.py binary -diff -text")


def _ignored(at: Repository) -> None:
    (at.folder / ".git" / "info").mkdir(exist_ok=True)
    (at.folder / ".git" / "info" / "exclude").write_text("*\n", encoding="utf-8")


def _replaced(at: Repository) -> None:
    """`refs/replace` says that the old commit is one that holds the new text already."""
    old = git(at.folder, "rev-parse", "HEAD")
    text = (at.folder / "net.py").read_bytes()
    git(at.folder, "commit", "-qam", "two")
    git(at.folder, "replace", old, "HEAD")
    git(at.folder, "reset", "-q", "--soft", old)
    git(at.folder, "update-ref", "refs/heads/main", old)
    (at.folder / "net.py").write_bytes(text)


@pytest.mark.parametrize(
    "attack",
    [
        pytest.param(_assumed_unchanged, id="index says unchanged"),
        pytest.param(_skip_worktree, id="index skips the working tree"),
        pytest.param(_binary, id="attributes say binary"),
        pytest.param(_ignored, id="exclude file of the repository"),
        pytest.param(_replaced, id="replaced commit"),
    ],
)
def test_no_repository_hides_a_change(repository: Repository, attack: Callable[[Repository], None]) -> None:
    attack(repository)
    found = changed_since("main", [str(repository.folder)], [str(repository.folder / "net.py")]).lines
    assert found == {os.path.realpath(repository.folder / "net.py"): [(5, 6)]}


def test_what_git_lacks_is_changed(repository: Repository) -> None:
    _drop_blob(repository)
    path = str(repository.folder / "net.py")
    assert changed_since("main", [str(repository.folder)], [path]).lines == {os.path.realpath(path): None}


# ------------------------------------------------------------------ ways of keeping a repository


def test_worktrees_submodules_and_sha256_are_understood(tmp_path: Path) -> None:
    for kind in ("sha1", "sha256"):
        folder = tmp_path / kind
        folder.mkdir()
        git(folder, "init", "-q", "-b", "main", f"--object-format={kind}")
        (folder / "net.py").write_text("1\n", encoding="utf-8")
        git(folder, "add", "-A")
        git(folder, "commit", "-qm", "one")
        git(folder, "pack-refs", "--all")
        git(folder, "worktree", "add", "-q", "../beside-" + kind)
        beside = tmp_path / f"beside-{kind}" / "net.py"
        beside.write_text("1\n2\n", encoding="utf-8")
        found = changed_since("main", [str(beside.parent)], [str(beside)]).lines
        assert found == {os.path.realpath(beside): [(2, 2)]}


def test_a_shallow_clone_and_a_tag_are_understood(repository: Repository, tmp_path: Path) -> None:
    git(repository.folder, "commit", "-qam", "two")
    git(tmp_path, "clone", "-q", "--depth=1", f"file://{repository.folder}", "shallow")
    folder = tmp_path / "shallow"
    git(folder, "tag", "-a", "-m", "t", "v1")
    (folder / "net.py").write_text(BREAKS + "1\n", encoding="utf-8")
    found = changed_since("v1", [str(folder)], [str(folder / "net.py")]).lines
    assert found == {os.path.realpath(folder / "net.py"): [(8, 8)]}


def test_nothing_of_ours_stays(repository: Repository, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(scratch))
    changed_since("main", [str(repository.folder)], [])
    with pytest.raises(UsageError):
        changed_since("nothing", [str(repository.folder)], [])
    assert list(scratch.iterdir()) == []


def test_a_git_folder_that_is_a_link_to_elsewhere_is_refused(repository: Repository, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    shutil.move(repository.folder / ".git", other / "kept")
    (repository.folder / ".git").symlink_to(other / "kept")
    with pytest.raises(UsageError, match=r"has a \.git that is not a repository"):
        History.around(str(repository.folder), "here")


# ------------------------------------------------------------------------ lines


def _like_difflib(old: bytes, new: bytes) -> list[int]:
    import difflib

    matcher = difflib.SequenceMatcher(None, old.splitlines(), new.splitlines(), autojunk=False)
    return [
        line
        for tag, _, _, first, last in matcher.get_opcodes()
        if tag in ("insert", "replace")
        for line in range(first + 1, last + 1)
    ]


@pytest.mark.parametrize("seed", range(8))
def test_changed_lines_are_those_of_difflib(seed: int) -> None:
    import random

    draw = random.Random(seed)
    old = [f"line {draw.randrange(30)}".encode() for _ in range(60)]
    new = [line for line in old if draw.random() > 0.1]
    for _ in range(8):
        new.insert(draw.randrange(len(new)), f"new {draw.randrange(9)}".encode())
    before, after = b"\n".join(old) + b"\n", b"\n".join(new) + b"\n"
    found = [line for first, last in changed_lines(before, after) for line in range(first, last + 1)]
    assert found == _like_difflib(before, after)


def test_the_end_of_a_line_is_no_change() -> None:
    assert changed_lines(b"a\nb\nc\n", b"a\r\nb\r\nc\r\n") == []
    assert changed_lines(b"a\nb\nc\n", b"a\rx\rc") == [(2, 2)]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param(b"a\n" * 200_000, b"b\n" + b"a\n" * 150_000 + b"c\n", id="one line many times"),
        pytest.param(b"a\nb\n" * 100_000, b"b\na\nx\n" * 100_000, id="two lines many times"),
        pytest.param(
            b"".join(b"%d\n" % (i % 1999) for i in range(300_000)),
            b"".join(b"%d\n" % (i * 7 % 1999) for i in range(300_000)),
            id="lines that are just not popular",
        ),
    ],
)
def test_a_comparison_ends(before: bytes, after: bytes) -> None:
    started = time.process_time()
    changed_lines(before, after)
    assert time.process_time() - started < 10


def test_names_of_blobs_are_those_of_git(repository: Repository) -> None:
    data = BREAKS.encode()
    name = git(repository.folder, "hash-object", "net.py")
    assert hashlib.sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest() == name
