"""The tools `trace` and `reproduce`: what an agent learns from the logs of a run, and what it may not name."""

from __future__ import annotations

import shutil
import threading
from pathlib import Path

import pytest

from compilelint.config import UsageError
from compilelint.mcp.answers import MOST_CHARACTERS
from compilelint.mcp.confined import RefusedError, roots_of
from compilelint.mcp.runs import read_logs, reproduced
from tests.trace.recordings import PROGRAMS, run_of


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    shutil.copytree(PROGRAMS, tmp_path / "src")
    for name in ("breaks", "size", "limit"):
        shutil.copy(run_of(name) / "trace.log", tmp_path / f"{name}.log")
    return tmp_path


def test_causes_stand_on_the_lines_of_the_folder_with_what_to_write(folder: Path) -> None:
    found = read_logs(roots_of([str(folder)]), ["size.log"], [], 0, 20)
    assert found.headline.startswith("0 graph breaks, 2 recompiles in 3 compiles")
    first = found.causes[0]
    assert (first.kind, first.path, first.line, first.values) == ("recompile", "src/p02_size.py", 5, ["8", "9"])
    assert any(one.endswith("torch._dynamo.mark_dynamic(k, 1)") for one in first.write)


def test_pages_follow_each_other(folder: Path) -> None:
    roots = roots_of([str(folder)])
    one, rest = (read_logs(roots, ["breaks.log"], [], offset, 1) for offset in (0, 1))
    assert (one.total, one.next_offset, len(one.causes)) == (4, 1, 1)
    assert rest.causes[0].line != one.causes[0].line
    assert read_logs(roots, ["breaks.log"], [], 3, 5).next_offset is None


def test_an_older_run_is_compared_with(folder: Path) -> None:
    found = read_logs(roots_of([str(folder)]), ["breaks.log"], ["size.log"], 0, 20)
    assert any(line.startswith("new: ") for line in found.changes)
    assert any(line.startswith("gone: ") for line in found.changes)


@pytest.mark.parametrize("path", ["../other.log", "/etc/passwd", ""])
def test_logs_outside_of_the_folders_are_refused(folder: Path, path: str) -> None:
    with pytest.raises(RefusedError):
        read_logs(roots_of([str(folder)]), [path], [], 0, 20)


def test_a_file_that_is_no_log_is_refused(folder: Path) -> None:
    with pytest.raises(UsageError, match="no line of torch's logs"):
        read_logs(roots_of([str(folder)]), ["src/p02_size.py"], [], 0, 20)


def test_an_answer_is_bounded_and_on_one_line_each(folder: Path) -> None:
    text = (folder / "breaks.log").read_text()
    (folder / "long.log").write_text(text.replace("Data-dependent branching", "x" * 3_000 + "\x1b[2J"))
    found = read_logs(roots_of([str(folder)]), ["long.log"], [], 0, 20)
    assert len(found.model_dump_json()) < 2 * MOST_CHARACTERS
    assert not any("\x1b" in one.message or "\n" in one.message for one in found.causes)


@pytest.mark.parametrize("target", ["absent:Net", "src.p01_breaks", "os.path:join"])
def test_a_target_outside_of_the_folders_is_not_run(folder: Path, target: str) -> None:
    with pytest.raises(RefusedError):
        reproduced(roots_of([str(folder)]), "python", target, [], "", "", 1, threading.Event())
