"""`--what-if` with scripted runs: which changes are tried, on what, and which way is the shortest; no torch."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from compilelint.config import Options
from compilelint.dynamic.proof import Proof
from compilelint.dynamic.protocol import Settings
from compilelint.dynamic.runner import observe
from compilelint.dynamic.switches import CHANGES, Tries, changes_for
from compilelint.dynamic.targets import Target, input_set, target_of
from compilelint.dynamic.worker_process import Work
from compilelint.model import Fate, ObservedBreak, Parity, Step, TargetRun
from compilelint.session.commands.verify import joined
from compilelint.session.commands.verify import verify as verified
from compilelint.session.fixing import what_if as module

pytestmark = pytest.mark.usefixtures("shared_worker")

MODEL = """import torch
from torch import nn


class Net(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        print("a")
        n = x.sum().item()
        return x[x > 0] * n
"""
TARGETS = [Target("net:Net"), Target("net:Clean")]
Breaks = Callable[[Mapping[str, Any]], Sequence[int]]


def ended(path: str, line: int) -> ObservedBreak:
    statement = MODEL.splitlines()[line - 1].strip()
    return ObservedBreak(path, line, line, line, "Net.forward", statement, "", "", "", "", (), None, 1)


def run_of(path: str, lines: Sequence[int], target: str = "net:Net") -> TargetRun:
    """A run that broke in some lines."""
    traced = ((path, tuple(range(6, 10))),)
    breaks = tuple(ended(path, line) for line in lines)
    place = Step(path, 5, "Net")
    parity = Parity(1, 1)
    return TargetRun(target, Fate.RAN, torch="2.13.0", place=place, traced=traced, breaks=breaks, parity=parity)


class Runs:
    """In place of the real runs: `left` gives the lines that still break with some changes made."""

    def __init__(self, path: str, left: Breaks, monkeypatch: pytest.MonkeyPatch) -> None:
        self.path, self.left = path, left
        self.observed: list[Mapping[str, Any]] = []
        self.texts: list[tuple[str, Mapping[str, Any] | None]] = []
        monkeypatch.setattr(module, "observe", self.observe)
        monkeypatch.setattr(module, "Originals", lambda targets, settings: self)

    def observe(self, work: Sequence[Work], settings: Settings) -> list[TargetRun]:
        self.observed += [one.changes for one in work]
        return [run_of(self.path, self.left(one.changes)) for one in work]

    def __enter__(self) -> Runs:
        return self

    def __exit__(self, *ended: object) -> None:
        pass

    def proofs(self, overlay: Any, changes: Mapping[str, Any] | None = None) -> tuple[Proof, ...]:
        text = Path(overlay.inside_copy(self.path)).read_text(encoding="utf-8")
        self.texts.append((text, changes))
        guarded = text.count("is_compiling")
        left = [line for line in self.left(changes or {}) if line != 7 or not guarded]
        after = run_of(self.path, left)
        return (Proof(after, after),)


@pytest.fixture
def path(tmp_path: Path) -> str:
    file = tmp_path / "net.py"
    file.write_text(MODEL, encoding="utf-8")
    return file.as_posix()


def tried(path: str, before: Sequence[int], left: Breaks, monkeypatch: pytest.MonkeyPatch) -> tuple[Tries, Runs]:
    """What is tried on a target that broke in some lines, beside one that did not break."""
    script = Runs(path, left, monkeypatch)
    runs = [run_of(path, before), run_of(path, (), "net:Clean")]
    (found,) = module.what_if(TARGETS, Settings(), joined(runs, Options((path,), torch_version="2.13")))
    return found, script


def names(effects: Sequence[Any]) -> list[str]:
    return [one.name for one in effects]


def test_every_switch_is_tried_on_every_target_that_broke(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    found, runs = tried(path, (8,), lambda changes: () if changes == CHANGES[0].changes else (8,), monkeypatch)
    assert runs.observed == [one.changes for one in CHANGES]
    assert names(found.way) == [CHANGES[0].name]
    assert (found.left, found.together) == (0, None)
    assert names(found.effects)[: len(CHANGES)] == [one.name for one in CHANGES]


@pytest.mark.slow
def test_a_setting_of_functions_reaches_torch(tmp_path: Path) -> None:
    file = tmp_path / "net.py"
    file.write_text(MODEL.replace("        n = x.sum().item()\n        return x[x > 0] * n\n", "        return x\n"))
    settings = Settings(python=sys.executable, paths=(str(tmp_path),), cwd=str(tmp_path), parity=False)
    target = replace(target_of("net:Net", "verify"), inputs=(input_set(("4x4",), "--input"),))
    (run,) = (one.run for one in verified([target], settings, Options((str(file),))).sides)
    added = changes_for(run)[len(CHANGES) :]
    assert names(added) == ["torch._dynamo.config.reorderable_logging_functions = {print}"]
    (after,) = observe([Work(target, changes=added[0].changes)], settings)
    assert (len(run.own_breaks), len(after.own_breaks)) == (1, 0)


def test_where_nothing_helps_all_breaks_are_left(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    found, _ = tried(path, (8, 9), lambda changes: (8, 9), monkeypatch)
    assert (found.way, found.left) == ((), 2)


def left_by_switches(changes: Mapping[str, Any]) -> list[int]:
    """The number by one switch, the shape by another."""
    config = changes.get("config", {})
    left = [] if config.get("capture_scalar_outputs") else [8]
    return left if config.get("capture_dynamic_output_shape_ops") else [*left, 9]


def test_a_way_of_two_switches_is_run_with_both(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    found, runs = tried(path, (8, 9), left_by_switches, monkeypatch)
    assert sorted(names(found.way)) == sorted(one.name for one in CHANGES[:2])
    assert runs.observed[-1] == {"config": {"capture_scalar_outputs": True, "capture_dynamic_output_shape_ops": True}}
    assert len(runs.observed) == len(CHANGES) + 1
    assert found.together is not None
    assert (found.left, found.together.own_breaks) == (0, ())


def test_a_fix_is_tried_on_a_copy(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    found, runs = tried(path, (7,), lambda changes: (7,), monkeypatch)
    (name,) = names(found.way)
    assert name.startswith("CL201 at net.py:7, ")
    assert [text.count("is_compiling") for text, _ in runs.texts] == [1]
    assert (found.left, found.together) == (0, None)
    assert Path(path).read_text(encoding="utf-8") == MODEL


def test_a_way_of_a_fix_and_a_switch_is_run_on_a_copy_with_the_switch(
    path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    found, runs = tried(path, (7, 8), lambda changes: [7, *left_by_switches(changes)[:-1]], monkeypatch)
    assert len(found.way) == 2
    text, changes = runs.texts[-1]
    assert "is_compiling" in text
    assert changes == {"config": {"capture_scalar_outputs": True}}
    assert len(runs.observed) == len(CHANGES)
    assert found.together is not None
    assert found.left == len(found.together.own_breaks)


def test_only_what_the_run_confirmed_is_repaired(path: str) -> None:
    run, other = run_of(path, (7,)), run_of(path, (), "net:Clean")
    findings = joined([run, other], Options((path,), torch_version="2.13")).report.findings
    assert [one.line for one in module.repairs_of(findings, run)] == [7]
    assert module.repairs_of(findings, other) == []
    elsewhere = replace(run, place=Step("/elsewhere/net.py", 5, "Net"))
    assert module.repairs_in_package(findings, elsewhere) == []
    assert module.repairs_in_package(findings, replace(run, place=None)) == []
