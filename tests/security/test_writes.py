"""The door of writing: reports, baselines, suppressions, fixes and first configurations are written where they say.

Each case lets a tree turn a write of ours onto a file outside it, or leave something half written behind.
"""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest

from compilelint.disk.write import NotWrittenError, create_text, replace_bytes, write_bytes, write_text
from tests.security.hostile import BREAKS, ROOT, compilelint

KEPT = "echo kept\n"


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A repository with one finding; beside it a file that must stay as it is."""
    (tmp_path / "bashrc").write_text(KEPT, encoding="utf-8")
    folder = tmp_path / "tree"
    (folder / ".git").mkdir(parents=True)
    (folder / "net.py").write_text(BREAKS, encoding="utf-8")
    return folder


def unharmed(tree: Path) -> bool:
    outside = tree.parent / "bashrc"
    names = {path.name for path in tree.parent.iterdir()}
    return outside.read_text(encoding="utf-8") == KEPT and names == {"bashrc", "tree"}


@pytest.mark.parametrize(
    ("target", "words"),
    [
        pytest.param("../bashrc", ["--output", "json:out"], id="report over a file"),
        pytest.param("../new", ["--output", "json:out"], id="report as a new file"),
        pytest.param("../bashrc", ["--baseline", "out", "--update-baseline"], id="baseline over a file"),
        pytest.param("../new", ["--baseline", "out", "--update-baseline"], id="baseline as a new file"),
    ],
)
def test_a_linked_output_is_refused(tree: Path, target: str, words: list[str]) -> None:
    (tree / "out").symlink_to(target)
    done = compilelint(tree, "check", ".", "--no-cache", *words)
    assert done.returncode == 2
    assert "link" in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
    assert unharmed(tree)


def test_an_output_in_a_linked_folder_is_refused(tree: Path) -> None:
    (tree / "reports").symlink_to("..")
    done = compilelint(tree, "check", ".", "--no-cache", "--output", "json:reports/bashrc")
    assert done.returncode == 2
    assert unharmed(tree)


@pytest.mark.parametrize("named", ["../bashrc", "../new", "{outside}", "sub/../../bashrc"])
def test_a_baseline_that_the_tree_names_lies_in_the_project(tree: Path, named: str) -> None:
    path = named.format(outside=tree.parent / "bashrc")
    (tree / "compilelint.toml").write_text(f"baseline = {json.dumps(path)}\n", encoding="utf-8")
    done = compilelint(tree, "check", ".", "--no-cache", "--update-baseline")
    assert done.returncode == 2
    assert "outside the project" in done.stderr
    assert unharmed(tree)


@pytest.mark.parametrize("words", [["--add-ignore=x"], ["--fix", "--unsafe-fixes"]], ids=["suppressions", "fixes"])
def test_a_linked_source_is_not_written_to(tree: Path, words: list[str]) -> None:
    outside = tree.parent / "bashrc"
    text = BREAKS.replace("return -x", "print(x)")
    outside.write_text(text, encoding="utf-8")
    (tree / "link.py").symlink_to("../bashrc")
    compilelint(tree, "check", ".", "link.py", "--no-cache", *words)
    assert outside.read_text(encoding="utf-8") == text


def test_init_writes_through_no_link(tree: Path) -> None:
    (tree / "compilelint.toml").symlink_to("../new")
    done = compilelint(tree, "init")
    assert done.returncode == 2
    assert unharmed(tree)


def test_a_read_only_file_stays(tree: Path) -> None:
    report = tree / "report.json"
    report.write_text(KEPT, encoding="utf-8")
    report.chmod(0o444)
    done = compilelint(tree, "check", ".", "--no-cache", "--output", "json:report.json")
    assert done.returncode == 2
    assert "it is read-only" in done.stderr
    assert report.read_text(encoding="utf-8") == KEPT


def test_a_file_that_is_there_is_not_created(tmp_path: Path) -> None:
    path = tmp_path / "a"
    create_text(str(path), "one")
    with pytest.raises(FileExistsError):
        create_text(str(path), "two")
    assert path.read_text(encoding="utf-8") == "one"
    assert os.listdir(tmp_path) == ["a"]


def test_a_file_that_changed_meanwhile_stays(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"new")
    with pytest.raises(NotWrittenError, match="changed during the run"):
        write_bytes(str(path), b"ours", expected=b"old")
    assert path.read_bytes() == b"new"
    assert os.listdir(tmp_path) == ["a"]


def test_a_null_byte_in_a_name_is_one_reason(tmp_path: Path) -> None:
    with pytest.raises(NotWrittenError, match="null"):
        write_text(str(tmp_path / "a\0b"), "x")


WRITING = """
import sys
from compilelint.disk.write import write_bytes
while True:
    write_bytes(sys.argv[1], b"x" * 5_000_000)
"""


def test_what_a_killed_run_left_is_removed_by_the_next(tmp_path: Path) -> None:
    """Killed between the first byte and the rename; a young file of another run, and what is not ours, stay."""
    path = tmp_path / "a"
    with subprocess.Popen([sys.executable, "-c", WRITING, str(path)]) as writer:
        deadline = time.monotonic() + 20
        while not list(tmp_path.glob(".compilelint-*.tmp")):
            assert time.monotonic() < deadline
        writer.kill()
    for left in tmp_path.glob(".compilelint-*.tmp"):
        os.utime(left, (1, 1))
    (tmp_path / ".compilelint-abcdefgh.tmp").write_text("another run writes", encoding="utf-8")
    os.utime(tmp_path / ".compilelint-abcdefgh.tmp")
    (tmp_path / ".compilelint-notes.txt").write_text("a user's", encoding="utf-8")
    os.utime(tmp_path / ".compilelint-notes.txt", (1, 1))
    write_text(str(path), "done")
    assert sorted(os.listdir(tmp_path)) == [".compilelint-abcdefgh.tmp", ".compilelint-notes.txt", "a"]


@pytest.mark.parametrize("kind", ["json", "sarif", "markdown"])
def test_a_pipe_that_nothing_reads_from_is_refused(tree: Path, kind: str) -> None:
    os.mkfifo(tree / "report")
    done = compilelint(tree, "check", ".", "--no-cache", "--output", f"{kind}:report")
    assert done.returncode == 2
    assert "nothing reads from it" in done.stderr


def test_a_pipe_with_a_reader_gets_the_report(tree: Path) -> None:
    os.mkfifo(tree / "report")
    reader = os.open(tree / "report", os.O_RDONLY | os.O_NONBLOCK)
    done = compilelint(tree, "check", ".", "--no-cache", "--output", "concise:report")
    assert b"CL101" in os.read(reader, 10_000), done.stderr


@pytest.mark.parametrize("mode", [0o4755, 0o2775, 0o6777])
def test_a_fixed_file_takes_no_rights_of_ours(tree: Path, mode: int) -> None:
    """Its author was another user: what he wrote would run with the rights of the one who fixed it."""
    path = tree / "fixable.py"
    path.write_text("y = 1  # compilelint: ignore[CL101]\n", encoding="utf-8")
    path.chmod(mode)
    compilelint(tree, "check", ".", "--no-cache", "--fix")
    assert "ignore" not in path.read_text(encoding="utf-8")
    assert stat.S_IMODE(path.stat().st_mode) == mode & 0o777


def test_a_fix_of_a_file_with_a_second_name_leaves_that_alone(tree: Path) -> None:
    outside = tree.parent / "bashrc"
    outside.write_text("y = 1  # compilelint: ignore[CL101]\n", encoding="utf-8")
    os.link(outside, tree / "hard.py")
    compilelint(tree, "check", ".", "--no-cache", "--fix")
    assert "ignore" not in (tree / "hard.py").read_text(encoding="utf-8")
    assert "ignore" in outside.read_text(encoding="utf-8")


def test_the_mode_stays_and_a_new_file_has_the_usual_one(tmp_path: Path) -> None:
    old, new = tmp_path / "old", tmp_path / "new"
    old.write_text("x", encoding="utf-8")
    old.chmod(0o640)
    write_text(str(old), "y")
    write_text(str(new), "y")
    (tmp_path / "plain").touch()
    assert stat.S_IMODE(old.stat().st_mode) == 0o640
    assert stat.S_IMODE(new.stat().st_mode) == stat.S_IMODE((tmp_path / "plain").stat().st_mode)


def test_there_is_one_writer() -> None:
    """No other file of the package renames over a file, or makes one beside it."""
    package = ROOT / "src" / "compilelint"
    known = {"disk/write.py"}
    found = {
        path.relative_to(package).as_posix()
        for path in package.rglob("*.py")
        if any(word in path.read_text(encoding="utf-8") for word in ("os.replace(", "mkstemp(", "os.link("))
    }
    assert found == known


@pytest.mark.parametrize("target", ["kept.txt", "missing.txt", "."])
def test_a_link_among_files_of_our_own_is_replaced_not_followed(tmp_path: Path, target: str) -> None:
    outside, folder = tmp_path / "outside", tmp_path / "cache"
    for place in (outside, folder):
        place.mkdir()
    (outside / "kept.txt").write_text("kept", encoding="utf-8")
    (folder / "entry").symlink_to(outside / target)
    replace_bytes(str(folder / "entry"), b"ours")
    assert (folder / "entry").read_bytes() == b"ours"
    assert not (folder / "entry").is_symlink()
    assert stat.S_IMODE((folder / "entry").stat().st_mode) == 0o600
    assert [path.name for path in outside.iterdir()] == ["kept.txt"]
    assert (outside / "kept.txt").read_text(encoding="utf-8") == "kept"
