"""A second round against git and links: no case is a repository that is made by accident.

Every command ends with a code that means something; nothing is run, nothing from outside is shown, and where a finding
can be found it is.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.security.hostile import BREAKS, ROOT, SECRET, compilelint, git

Attack = Callable[[Path, Path], object]
"""What is done to a repository; the second path is a mark that a program would leave."""


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """One commit, and a finding that is newer; beside it a folder that is none of the tree's business."""
    tree = tmp_path / "repository"
    tree.mkdir()
    git(tree, "init", "-q")
    (tree / "a.py").write_text("x = 1\n", encoding="utf-8")
    git(tree, "add", ".")
    git(tree, "commit", "-qm", "first")
    (tree / "a.py").write_text(BREAKS, encoding="utf-8")
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret.py").write_text(f"x = ((( {SECRET}\n", encoding="utf-8")
    (outside / "secret.txt").write_text(f"{SECRET}\n", encoding="utf-8")
    return tree


def configured(text: str) -> Attack:
    def attack(tree: Path, mark: Path) -> None:
        with (tree / ".git" / "config").open("a", encoding="utf-8") as opened:
            opened.write(text.replace("MARK", str(mark)))

    return attack


def pipe(name: str) -> Attack:
    def attack(tree: Path, mark: Path) -> None:
        (tree / name).unlink()
        os.mkfifo(tree / name)

    return attack


def alternates(text: str) -> Attack:
    def attack(tree: Path, mark: Path) -> None:
        (tree / ".git" / "objects" / "info").mkdir(exist_ok=True)
        (tree / ".git" / "objects" / "info" / "alternates").write_text(text.replace("TREE", str(tree)), "utf-8")

    return attack


def many_refs(tree: Path, mark: Path) -> None:
    refs = "".join(f"{number:040x} refs/heads/b{number}\n" for number in range(50_000))
    (tree / ".git" / "packed-refs").write_text(f"# pack-refs with: peeled\n{refs}", encoding="utf-8")


@pytest.mark.parametrize(
    "attack",
    [
        pytest.param(configured('[diff "x"]\n\tcommand = touch MARK\n[core]\n\tattributesFile = MARK.no\n'), id="diff"),
        pytest.param(configured("[gpg]\n\tprogram = touch MARK\n[log]\n\tshowSignature = true\n"), id="signatures"),
        pytest.param(configured("[trace2]\n\teventTarget = MARK\n\tnormalTarget = MARK\n"), id="trace to a file"),
        pytest.param(
            configured('[merge "x"]\n\tdriver = touch MARK\n[uploadpack]\n\tpackObjectsHook = touch MARK\n'),
            id="drivers and hooks of packs",
        ),
        pytest.param(configured("[gc]\n\tauto = 1\n[maintenance]\n\tauto = true\n"), id="maintenance"),
        pytest.param(alternates("TREE/.git/objects\n"), id="objects that are their own alternates"),
        pytest.param(many_refs, id="fifty thousand branches"),
        pytest.param(pipe(".git/config"), id="configuration that is a pipe"),
    ],
)
def test_a_change_is_found_and_nothing_runs(repository: Path, tmp_path: Path, attack: Attack) -> None:
    attack(repository, tmp_path / "mark")
    done = compilelint(repository, "check", ".", "--no-cache", "--diff-base", "HEAD", "--output", "concise")
    assert "CL101" in done.stdout, done.stderr
    assert not (tmp_path / "mark").exists()


def other_git(text: str | None) -> Attack:
    """A folder whose `.git` file leads to a repository that the tree brings along, or never ends."""

    def attack(tree: Path, mark: Path) -> None:
        (tree / "sub").mkdir()
        (tree / "sub" / "b.py").write_text(BREAKS, encoding="utf-8")
        if text is None:
            (tree / "sub" / ".git").symlink_to("/dev/zero")
            return
        (tree / "sub" / ".git").write_text(text, encoding="utf-8")
        for name in ("objects", "refs"):
            (tree / "evil" / name).mkdir(parents=True)
        (tree / "evil" / "HEAD").write_text("ref: refs/heads/x\n", encoding="utf-8")
        (tree / "evil" / "config").write_text(f"[core]\n\tfsmonitor = touch {mark}\n", encoding="utf-8")

    return attack


# ------------------------------------------------------- small repositories that are large


def stored(tree: Path, kind: str, data: bytes) -> str:
    """An object of git by its name, written as git writes it."""
    raw = f"{kind} {len(data)}\0".encode() + data
    name = hashlib.sha1(raw, usedforsecurity=False).hexdigest()
    folder = tree / ".git" / "objects" / name[:2]
    folder.mkdir(exist_ok=True)
    (folder / name[2:]).write_bytes(zlib.compress(raw))
    return name


def based_on(tree: Path, entries: list[tuple[str, str]]) -> None:
    """Let `main` stand for a commit of these entries: each `MODE NAME` and the object it is."""
    listed = b"".join(f"{entry}\0".encode() + bytes.fromhex(name) for entry, name in sorted(entries))
    commit = git(tree, "commit-tree", "-m", "other", stored(tree, "tree", listed))
    git(tree, "update-ref", "refs/heads/main", commit)


def trees_in_trees(tree: Path) -> None:
    """Ten levels of ten: eleven objects that list ten billion files."""
    name = stored(tree, "blob", b"x\n")
    for depth in range(10):
        mode = "40000" if depth else "100644"
        entries = b"".join(f"{mode} {number}\0".encode() + bytes.fromhex(name) for number in range(10))
        name = stored(tree, "tree", entries)
    based_on(tree, [("40000 d", name)])


def blobs_of_one_line(tree: Path) -> None:
    """Files that were 4 MB each, and a few kilobytes packed; each holds a finding now."""
    text = b"x = 1\n" * 650_000
    entries = []
    for number in range(150):
        entries.append((f"100644 f{number}.py", stored(tree, "blob", text + b"%d" % number)))
        (tree / f"f{number}.py").write_text(BREAKS, encoding="utf-8")
    based_on(tree, entries)


def holes_as_refs(tree: Path) -> None:
    for number in range(200):
        ref = tree / ".git" / "refs" / "heads" / f"b{number}"
        ref.touch()
        os.truncate(ref, 99_000_000)


def refs_elsewhere(target: str) -> Callable[[Path], None]:
    def attack(tree: Path) -> None:
        (tree / ".git" / "refs").rename(tree / ".git" / "elsewhere")
        (tree / ".git" / "refs").symlink_to(target)

    return attack


@pytest.mark.parametrize(
    ("attack", "said"),
    [
        pytest.param(trees_in_trees, "lists more than a million files", id="size: trees that hold each other"),
        pytest.param(blobs_of_one_line, "", id="size: blobs that are packed a thousandfold", marks=pytest.mark.slow),
        pytest.param(holes_as_refs, "", id="size: refs of holes"),
        pytest.param(
            refs_elsewhere("/proc"), "does not know the revision", id="link: refs are the processes of the machine"
        ),
        pytest.param(
            refs_elsewhere("/usr"), "does not know the revision", id="link: refs are the files of the machine"
        ),
    ],
)
def test_a_small_repository_takes_little(repository: Path, attack: Callable[[Path], None], said: str) -> None:
    git(repository, "branch", "-M", "main")
    attack(repository)
    limit = "import resource, sys; resource.setrlimit(resource.RLIMIT_CPU, (20, 20)); del sys.path[0]; "
    program = "resource.setrlimit(resource.RLIMIT_AS, (1_200_000_000,) * 2); from compilelint.__main__ import start"
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            limit + program + "; start()",
            "check",
            ".",
            "--no-cache",
            "--diff-base",
            "main",
            "--jobs",
            "1",
        ],
        cwd=repository,
        env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == (2 if said else 1), done.stderr
    assert said in done.stderr
    assert "memory" not in done.stderr


def test_refs_that_are_those_of_another_repository_are_known(repository: Path, tmp_path: Path) -> None:
    """As the tool `repo` lays its checkouts out."""
    (repository / ".git").rename(tmp_path / "kept")
    (repository / ".git").mkdir()
    for name in ("refs", "objects"):
        (repository / ".git" / name).symlink_to(tmp_path / "kept" / name)
    shutil.copy(tmp_path / "kept" / "HEAD", repository / ".git" / "HEAD")
    done = compilelint(repository, "check", ".", "--no-cache", "--diff-base", "HEAD", "--output", "concise")
    assert "CL101" in done.stdout, done.stderr


@pytest.mark.parametrize("path", [".", "", "tools"])
def test_git_is_not_looked_for_in_the_tree(repository: Path, tmp_path: Path, path: str) -> None:
    for folder in (repository, repository / "tools"):
        folder.mkdir(exist_ok=True)
        (folder / "git").write_text(f"#!/bin/sh\ntouch {tmp_path / 'mark'}\n", encoding="utf-8")
        (folder / "git").chmod(0o755)
    search = os.pathsep.join([path, os.environ["PATH"]])
    words = ("check", ".", "--no-cache", "--diff-base", "HEAD", "--output", "concise")
    assert "CL101" in compilelint(repository, *words, environment={"PATH": search}).stdout
    assert compilelint(repository, *words, environment={"PATH": path}).returncode == 2
    assert not (tmp_path / "mark").exists()


@pytest.mark.parametrize(
    ("attack", "words"),
    [
        pytest.param(pipe(".git/HEAD"), (".", "HEAD"), id="HEAD that is a pipe"),
        pytest.param(other_git("gitdir: ../evil\n"), ("sub", "HEAD"), id="repository that the tree brings along"),
        pytest.param(other_git(None), ("sub", "HEAD"), id="endless .git"),
        pytest.param(lambda tree, mark: None, (".", "--upload-pack=touch mark"), id="base that is an option"),
        pytest.param(lambda tree, mark: None, (".", "HEAD:a.py"), id="base that is a file"),
    ],
)
def test_what_cannot_be_compared_is_one_line(
    repository: Path, tmp_path: Path, attack: Attack, words: tuple[str, str]
) -> None:
    attack(repository, tmp_path / "mark")
    path, base = words
    done = compilelint(repository, "check", path, "--no-cache", "--diff-base", base)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "mark").exists()
    assert not (repository / "mark").exists()


def link(name: str, target: str) -> Attack:
    def attack(tree: Path, mark: Path) -> None:
        path = tree / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.unlink(missing_ok=True)
        path.symlink_to(target)

    return attack


def file(name: str, text: str) -> Attack:
    def attack(tree: Path, mark: Path) -> None:
        (tree / name).write_text(text.replace("OUT", str(tree.parent / "outside")), encoding="utf-8")

    return attack


def environment(tree: Path, mark: Path) -> None:
    site = tree / ".venv" / "lib" / "python3.11" / "site-packages"
    site.mkdir(parents=True)
    (tree / ".venv" / "pyvenv.cfg").write_text("home = /usr\n", encoding="utf-8")
    (site / "x.pth").write_text(f"{tree.parent / 'outside'}\nimport os; open({str(mark)!r}, 'w')\n", encoding="utf-8")
    (tree / "b.py").write_text("import secret\nfrom secret import y\n", encoding="utf-8")


@pytest.mark.parametrize(
    "attack",
    [
        pytest.param(link("p/__init__.py", "../../outside/secret.py"), id="package on the way to a module"),
        pytest.param(link("a.pyi", "../outside/secret.py"), id="stub"),
        pytest.param(link("compilelint.toml", "../outside/secret.txt"), id="configuration"),
        pytest.param(file("compilelint.toml", 'extend = "OUT/secret.txt"\n'), id="base by its whole path"),
        pytest.param(file("compilelint.toml", 'extend = "~/secret.txt"\n'), id="base in a home"),
        pytest.param(file("compilelint.toml", 'extend = "$HUNTED/x"\n'), id="base by a variable"),
        pytest.param(file("compilelint.toml", 'baseline = "OUT/secret.txt"\n'), id="baseline"),
        pytest.param(link(".git/info/exclude", "../../../outside/secret.txt"), id="exclude file"),
        pytest.param(link("d/up", ".."), id="folder that holds itself"),
        pytest.param(link("root", "/"), id="everything"),
        pytest.param(link("b.py", "/proc/self/fd/0"), id="standard input"),
        pytest.param(environment, id="path of an environment"),
    ],
)
def test_nothing_from_outside_is_shown(repository: Path, tmp_path: Path, attack: Attack) -> None:
    attack(repository, tmp_path / "mark")
    words = ("--python", ".venv") if (repository / ".venv").exists() else ()
    done = compilelint(
        repository, "check", ".", "--no-cache", "--verbose", *words, environment={"HUNTED": SECRET}, given=SECRET
    )
    assert done.returncode in (1, 2), done.stderr
    assert SECRET not in done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "mark").exists()
