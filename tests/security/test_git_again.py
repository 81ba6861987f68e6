"""A fourth round against git: each case is of a form that no earlier round had, and its id begins with its class."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.security.attacks import Attack, attacked_tree, both, configured, program, written
from tests.security.hostile import SECRET, compilelint, git


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    return attacked_tree(tmp_path)


def included_if(tree: Path, mark: Path) -> None:
    (tree / "evil.cfg").write_text(f"[core]\n\tfsmonitor = {program(mark)}\n\tpager = {program(mark)}\n", "utf-8")
    configured(
        '[includeIf "gitdir:**"]\n\tpath = TREE/evil.cfg\n[includeIf "onbranch:main"]\n\tpath = TREE/evil.cfg\n'
    )(tree, mark)


def submodule_that_updates(tree: Path, mark: Path) -> None:
    written(".gitmodules", '[submodule "s"]\n\tpath = s\n\turl = ../s\n\tupdate = !PROGRAM\n')(tree, mark)
    configured('[submodule]\n\trecurse = true\n[submodule "s"]\n\tupdate = !PROGRAM\n\tactive = true\n')(tree, mark)
    head = git(tree, "rev-parse", "HEAD")
    git(tree, "update-index", "--add", "--cacheinfo", f"160000,{head},s")
    git(tree, "commit", "-qm", "two")


def replaced_blob(tree: Path, mark: Path) -> None:
    old = git(tree, "rev-parse", "HEAD:net.py")
    new = git(tree, "hash-object", "-w", "net.py")
    git(tree, "replace", old, new)


def replaced_tree(tree: Path, mark: Path) -> None:
    git(tree, "add", ".")
    git(tree, "replace", git(tree, "rev-parse", "HEAD^{tree}"), git(tree, "write-tree"))
    git(tree, "reset", "-q")


def grafted(tree: Path, mark: Path) -> None:
    head = git(tree, "rev-parse", "HEAD")
    written(".git/info/grafts", f"{head} {'1' * 40} {head}\n" + f"{head}\n" * 10_000)(tree, mark)


def sparse(tree: Path, mark: Path) -> None:
    configured("[core]\n\tsparseCheckout = true\n\tsparseCheckoutCone = true\n\tignoreCase = true\n")(tree, mark)
    written(".git/info/sparse-checkout", "!/*\n")(tree, mark)


def garbage(*names: str) -> Attack:
    def attack(tree: Path, mark: Path) -> None:
        for name in names:
            path = tree / ".git" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(b"\x00##[error]\x1b[31m" + os.urandom(4096))

    return attack


def chain_of_tags(tree: Path, mark: Path) -> None:
    name = git(tree, "rev-parse", "HEAD")
    kind = "commit"
    for number in range(300):
        text = f"object {name}\ntype {kind}\ntag t{number}\ntagger n <e> 1 +0000\n\nx\n"
        done = subprocess.run(
            ["git", "hash-object", "-t", "tag", "-w", "--stdin", "--literally"],
            cwd=tree,
            input=text,
            capture_output=True,
            text=True,
            check=True,
        )
        name, kind = done.stdout.strip(), "tag"
    git(tree, "update-ref", "refs/tags/deep", name)


def other_program_for_objects(tree: Path, mark: Path) -> None:
    configured(
        "[uploadpack]\n\tpackObjectsHook = PROGRAM\n[core]\n\tgitProxy = PROGRAM\n\taskPass = PROGRAM\n"
        "\teditor = PROGRAM\n[sequence]\n\teditor = PROGRAM\n[difftool]\n\tprompt = false\n[interactive]\n"
        '\tdiffFilter = PROGRAM\n[diff]\n\tguitool = x\n[mergetool "x"]\n\tcmd = PROGRAM\n'
        '[trailer "x"]\n\tcommand = PROGRAM\n'
    )(tree, mark)
    git(tree, "update-ref", "refs/remotes/origin/main", "HEAD")


def work_tree_beside(tree: Path, mark: Path) -> None:
    """The linted folder is a work tree of a repository inside it, whose common folder names programs."""
    store = tree / "store"
    shutil.move(tree / ".git", store)
    with (store / "config").open("a", encoding="utf-8") as opened:
        opened.write(f"[core]\n\tfsmonitor = {program(mark)}\n\tworktree = {tree}\n")
    (tree / ".git").write_text("gitdir: store\n", encoding="utf-8")


def common_folder_elsewhere(tree: Path, mark: Path) -> None:
    outside = tree.parent / "outside" / "repository"
    shutil.copytree(tree / ".git", outside)
    with (outside / "config").open("a", encoding="utf-8") as opened:
        opened.write(f"[core]\n\tfsmonitor = {program(mark)}\n")
    (tree / ".git" / "commondir").write_text(str(outside), encoding="utf-8")


def gitdir(text: str) -> Attack:
    def attack(tree: Path, mark: Path) -> None:
        shutil.rmtree(tree / ".git")
        (tree / ".git").write_text(text, encoding="utf-8")

    return attack


def objects_elsewhere(tree: Path, mark: Path) -> None:
    outside = tree.parent / "outside" / "objects"
    shutil.move(tree / ".git" / "objects", outside)
    (tree / ".git" / "objects").symlink_to(outside)


def odd_entries(*names: bytes) -> Attack:
    """A commit whose tree names files as no checkout would, all of them the blob of `net.py`."""

    def attack(tree: Path, mark: Path) -> None:
        import hashlib
        import zlib

        def store(kind: bytes, data: bytes) -> str:
            whole = kind + b" %d\0" % len(data) + data
            name = hashlib.sha1(whole).hexdigest()
            path = tree / ".git" / "objects" / name[:2] / name[2:]
            path.parent.mkdir(exist_ok=True)
            if not path.exists():
                path.write_bytes(zlib.compress(whole))
            return name

        blob = bytes.fromhex(store(b"blob", b"y = 2\n"))
        listed = b"".join(b"100644 " + name + b"\0" + blob for name in sorted((*names, b"net.py")))
        top = store(b"tree", listed)
        made = f"tree {top}\nauthor n <e> 1 +0000\ncommitter n <e> 1 +0000\n\nx\n".encode()
        git(tree, "update-ref", "refs/heads/main", store(b"commit", made))

    return attack


GIT = [
    pytest.param(included_if, id="program: configuration by condition"),
    pytest.param(submodule_that_updates, id="program: update of a submodule"),
    pytest.param(other_program_for_objects, id="program: proxies, editors, tools and trailers"),
    pytest.param(work_tree_beside, id="program: a .git file into the tree"),
    pytest.param(
        configured('[core]\n\tgitProxy = "PROGRAM for x"\n[fetch]\n\tbundleURI = ext::PROGRAM\n'), id="program: bundle"
    ),
    pytest.param(
        configured("[core]\n\trepositoryFormatVersion = 0\n[extensions]\n\tnoop = PROGRAM\n"), id="extension: noop"
    ),
    pytest.param(replaced_blob, id="hidden: a replaced blob"),
    pytest.param(replaced_tree, id="hidden: a replaced tree"),
    pytest.param(grafted, id="hidden: grafts"),
    pytest.param(sparse, id="hidden: sparse checkout without case"),
    pytest.param(garbage("index"), id="garbage: index"),
    pytest.param(garbage("objects/info/commit-graph", "objects/pack/multi-pack-index"), id="garbage: graph of commits"),
    pytest.param(garbage("FETCH_HEAD", "ORIG_HEAD", "MERGE_HEAD", "logs/HEAD"), id="garbage: other heads"),
    pytest.param(chain_of_tags, id="size: tags of tags"),
    pytest.param(odd_entries(b"../outside/kept", b"/etc/passwd", b".git/config"), id="names: out of the tree"),
    pytest.param(odd_entries(b"-rf", b"--output=x", b"a\nb", b"\xff\xfe.py"), id="names: options, lines, no name"),
    pytest.param(odd_entries(*[b"NET.PY", b"Net.py", b"net.py "]), id="names: alike but for case"),
]


@pytest.mark.parametrize("attack", GIT)
def test_a_change_is_found_and_nothing_runs(tree: Path, tmp_path: Path, attack: Attack) -> None:
    mark = tmp_path / "mark"
    attack(tree, mark)
    done = compilelint(tree, "check", ".", "--no-cache", "--diff-base", "HEAD", "--output", "concise")
    assert not mark.exists()
    assert "net.py:5:8" in done.stdout, done.stderr
    assert done.returncode == 1
    assert "\x1b" not in done.stderr
    assert "##[" not in done.stderr


@pytest.mark.parametrize(
    "attack",
    [
        pytest.param(configured("[core]\n\trepositoryFormatVersion = 99\n"), id="extension: version 99"),
        pytest.param(
            configured("[core]\n\trepositoryFormatVersion = 1\n[extensions]\n\t##[error]x = PROGRAM\n"),
            id="extension: unknown, with an order",
        ),
        pytest.param(common_folder_elsewhere, id="outside: common folder"),
        pytest.param(objects_elsewhere, id="outside: objects behind a link"),
        pytest.param(written(".git/HEAD", "ref: refs/heads/a\n"), id="refs: of nothing"),
        pytest.param(odd_entries(b""), id="names: none at all"),
        pytest.param(
            both(
                written(".git/HEAD", "ref: refs/heads/a\n"),
                written(".git/refs/heads/a", "ref: refs/heads/b\n"),
                written(".git/refs/heads/b", "ref: refs/heads/a\n"),
            ),
            id="refs: that name each other",
        ),
        pytest.param(written(".git/HEAD", "ref: ../../outside/secret.txt\n"), id="refs: out of the repository"),
        pytest.param(written(".git/HEAD", f"ref: refs/{'x/' * 4000}\n"), id="refs: a long one"),
        pytest.param(written(".git/shallow", f"{SECRET}\n" * 100), id="garbage: shallow"),
        pytest.param(
            gitdir("gitdir: /proc/self/cwd/x\n"),
            id="gitdir: by the working directory of a process",
        ),
        pytest.param(
            gitdir("gitdir: .git\n"),
            id="gitdir: itself",
        ),
        pytest.param(
            gitdir(f"gitdir: {'../' * 3000}\n"),
            id="gitdir: a long way",
        ),
    ],
)
def test_what_cannot_be_compared_is_one_line(tree: Path, tmp_path: Path, attack: Attack) -> None:
    mark = tmp_path / "mark"
    attack(tree, mark)
    done = compilelint(tree, "check", ".", "--no-cache", "--diff-base", "HEAD", "--output", "concise")
    assert not mark.exists()
    assert done.returncode in (1, 2)
    assert done.returncode == 2 or "net.py:5:8" in done.stdout
    assert "Traceback" not in done.stderr
    assert "##[" not in done.stderr
    assert SECRET not in done.stdout + done.stderr
    assert len(done.stderr.strip().splitlines()) <= 4, done.stderr
