"""Which cells a matrix has, and what counts as a change from the first."""

from __future__ import annotations

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

    def run(command: list[str]) -> None:
        calls.append(command)
        if command[1] == "venv":
            Path(command[-1]).mkdir()

    monkeypatch.setattr("compilelint.fleet.environments._run", run)
    monkeypatch.setattr("shutil.which", lambda name, path=None: name)
    first = interpreter_of("2.13", tmp_path, ["timm==1.0"])
    assert calls[1][-2:] == ["torch==2.13.*", "timm==1.0"]
    assert interpreter_of("2.13", tmp_path, ["timm==1.0"]) == first
    assert len(calls) == 2
    assert interpreter_of("2.13.0", tmp_path) != first
    assert calls[3][-1] == "torch==2.13.0"


@pytest.mark.parametrize("wanted", ["new", "2", "/nowhere/at/all", "2.13; rm"])
def test_what_is_no_version_is_refused(tmp_path: Path, wanted: str) -> None:
    with pytest.raises(NoEnvironmentError):
        interpreter_of(wanted, tmp_path)
