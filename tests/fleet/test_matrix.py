"""Which cells a matrix has, and what counts as a change from the first."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from compilelint.fleet.environments import NoEnvironmentError, interpreter_of
from compilelint.fleet.matrix import NoAxisError, cells, new_breaks, started, stopped
from compilelint.model import Fate, TargetRun
from tests.fleet.samples import broke

RUN = TargetRun("shop:Ranker", Fate.RAN, breaks=(broke(7),))


def test_every_value_meets_every_other_and_the_first_come_first() -> None:
    found = cells(["torch=2.13,2.15", "mode=eval,train"])
    assert [one.name for one in found] == ["torch 2.13 eval", "torch 2.13 train", "torch 2.15 eval", "torch 2.15 train"]
    assert (found[2].get("torch"), found[2].get("device")) == ("2.15", None)


@pytest.mark.parametrize("word", ["torch", "torch=", "python=3.11", "mode=test", "device=tpu,cpu"])
def test_what_is_no_axis_is_refused(word: str) -> None:
    with pytest.raises(NoAxisError):
        cells([word])


def test_an_axis_is_named_once() -> None:
    with pytest.raises(NoAxisError, match="twice"):
        cells(["torch=2.13", "torch=2.15"])


def test_a_break_that_moved_is_no_new_one_and_one_of_another_statement_is() -> None:
    moved = replace(RUN, breaks=(broke(70, "/other/place.py"),))
    assert new_breaks(RUN, moved, "torch 2.15", {}) == ()
    other = replace(RUN, breaks=(broke(7), replace(broke(9), statement="x.item()")))
    (found,) = new_breaks(RUN, other, "torch 2.15", {("/shop/ranker.py", 9): True})
    assert (found.line, found.predicted, found.cell) == (9, True, "torch 2.15")
    (missed,) = new_breaks(RUN, other, "torch 2.15", {("/shop/ranker.py", 7): True})
    assert not missed.predicted


def test_what_ran_and_does_not_is_stopped() -> None:
    gone = TargetRun("shop:Ranker", Fate.COMPILE_ERROR)
    assert (stopped(RUN, gone), started(RUN, gone), started(gone, RUN), stopped(RUN, RUN)) == (True, False, True, False)


def test_an_environment_is_named_by_its_folder_or_its_interpreter(tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    python = tmp_path / "bin" / "python"
    python.write_text("")
    assert interpreter_of(str(tmp_path), tmp_path / "kept") == str(python)
    assert interpreter_of(str(python), tmp_path / "kept") == str(python)


def test_an_environment_that_was_made_is_not_made_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[list[str]] = []

    def run(command: list[str], folder: Path) -> None:
        assert folder == tmp_path
        calls.append(command)
        if command[1] == "venv":
            Path(command[-1]).mkdir()

    monkeypatch.setattr("compilelint.fleet.environments._run", run)
    monkeypatch.setattr("shutil.which", lambda name, path=None: name)
    first = interpreter_of("2.13", tmp_path, ["timm==1.0"])
    assert calls[1][-3:] == ["--", "torch==2.13.*", "timm==1.0"]
    assert interpreter_of("2.13", tmp_path, ["timm==1.0"]) == first
    assert len(calls) == 2
    assert interpreter_of("2.13.0", tmp_path) != first
    assert calls[3][-1] == "torch==2.13.0"


FAKE_UV = """#!/bin/sh
pwd >> "$UV_SEEN"
if [ "$1" = venv ]; then sleep 0.3; mkdir -p "$6/bin"; touch "$6/bin/python"; fi
"""


@pytest.fixture
def uv(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where a uv that makes empty environments writes down the folder of each call."""
    programs, seen = tmp_path / "programs", tmp_path / "seen"
    programs.mkdir()
    (programs / "uv").write_text(FAKE_UV)
    (programs / "uv").chmod(0o755)
    monkeypatch.setenv("PATH", f"{programs}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("UV_SEEN", str(seen))
    return seen


def test_the_configuration_of_a_project_has_no_say_in_a_shared_environment(
    tmp_path: Path, uv: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`[[tool.uv.index]]` of the tree chose where torch came from, for all projects that come later."""
    project = tmp_path / "project"
    (project / "mine").mkdir(parents=True)
    (project / "uv.toml").write_text("index-url = 'http://127.0.0.1:9/evil'\n")
    monkeypatch.chdir(project)
    interpreter_of("2.13", tmp_path / "kept", ["./mine", "--index-url=http://127.0.0.1:9/"])
    assert set(uv.read_text().split()) == {str(tmp_path / "kept")}


def test_environments_of_two_requests_are_two(tmp_path: Path, uv: Path) -> None:
    asked = [["a==1"], ["a<1"], ["a", "b"], ["b", "a"], ["a-b"], []]
    assert len({interpreter_of("2.13", tmp_path / "kept", one) for one in asked}) == len(asked)


def test_two_runs_make_an_environment_once(tmp_path: Path, uv: Path) -> None:
    with ThreadPoolExecutor(3) as pool:
        made = [pool.submit(interpreter_of, "2.13", tmp_path / "kept") for _ in range(3)]
        assert len({one.result() for one in made}) == 1
    assert len(uv.read_text().split()) == 2  # `uv venv` and `uv pip install`


@pytest.mark.parametrize("wanted", ["new", "2", "/nowhere/at/all", "2.13; rm"])
def test_what_is_no_version_is_refused(tmp_path: Path, wanted: str) -> None:
    with pytest.raises(NoEnvironmentError):
        interpreter_of(wanted, tmp_path)
