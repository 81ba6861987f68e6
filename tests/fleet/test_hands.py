"""What a process of a cluster refuses before it runs anything, and which worker it takes."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import pytest

from compilelint.dynamic.protocol import Settings
from compilelint.dynamic.targets import Target, input_set
from compilelint.dynamic.worker_process import Work
from compilelint.fleet.digest import digests, each
from compilelint.fleet.hands import end_all, perform
from compilelint.fleet.task import task_of

TARGETS = Path(__file__).parents[1] / "data" / "targets"
INPUT = (input_set(["2x4"], "test"),)


def message(name: str, folder: Path = TARGETS, **more: Any) -> dict[str, Any]:
    """The task of a target below a folder."""
    settings = Settings(python=sys.executable, paths=(str(folder),), cwd=str(folder))
    target = Target(f"hostile:{name}", inputs=INPUT, timeout=60.0)
    files = digests(target.model, settings.paths, settings.cwd)
    return {**task_of(Work(target), settings, files).message(), **more}


def test_another_compilelint_is_refused() -> None:
    assert "the client 0" in perform(message("Calm", compilelint="0"))["refused"]


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    assert perform(message("Calm", tmp_path / "lost"))["refused"] == f"it has no folder {tmp_path / 'lost'}"


def test_files_that_are_not_the_clients_are_listed(tmp_path: Path) -> None:
    (tmp_path / "hostile.py").write_text("x = 1\n")
    task = message("Calm", tmp_path)
    (tmp_path / "hostile.py").write_text("x = 22\n")
    answer = perform(task)
    assert answer["refused"] == "its files are not the client's"
    assert answer["files"] == each(str(tmp_path / "hostile.py"))


@pytest.mark.dynamo
@pytest.mark.slow
def test_one_worker_serves_target_after_target_and_is_replaced_where_one_killed_it() -> None:
    names = ["Calm", "Prints", "CrashesInForward", "Leaves", "Calm"]
    try:
        answers = [perform(message(name)) for name in names]
    finally:
        end_all()
    fates = ["ran", "ran", "killed", "exited", "ran"]
    assert [answer["observed"]["fate"] for answer in answers] == fates, "as `observe` has them on this machine"
    assert [answer["pid"] for answer in answers] == [os.getpid()] * 5
    assert answers[0]["observed"]["graphs"] == 1


@pytest.mark.dynamo
@pytest.mark.slow
def test_another_torch_than_the_clients_is_refused() -> None:
    try:
        answer = perform(message("Calm", torch="1.0"))
    finally:
        end_all()
    assert answer["refused"].endswith("where 1.0 is expected")
