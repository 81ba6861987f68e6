"""A changed copy of a project against the original: same results or not, and how many breaks fewer."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from compilelint.dynamic.observations import Overlay
from compilelint.dynamic.proof import Originals
from compilelint.dynamic.protocol import Settings
from compilelint.dynamic.targets import Target, input_set
from compilelint.dynamic.worker_process import Work, Worker
from compilelint.model import Fate, TargetRun

pytestmark = [pytest.mark.dynamo, pytest.mark.slow]

MODEL = """\
import os

import torch


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(4, 4)
        self.calls = 0
        self.made_in = os.getpid()  # another in every process, whatever the program

    def forward(self, x):
        self.calls += 1
        y = self.layer(x)
        if y.sum() > 0:
            y = y + 1
        return y
"""
BRANCH = "        if y.sum() > 0:\n            y = y + 1\n"
CHANGES = {
    "right": ("        y = torch.where(y.sum() > 0, y + 1, y)\n", True, 1),
    "wrong": ("        y = torch.where(y.sum() > 0, y + 2, y - 1)\n", False, 1),
    "counting twice": ("        y = torch.where(y.sum() > 0, y + 1, y)\n        self.calls += 1\n", False, 1),
    "nothing": (BRANCH, True, 0),
}


@pytest.mark.parametrize("mode", ["eval", "train"])
def test_a_copy_is_held_against_the_original(tmp_path: Path, mode: str, monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[Worker] = []
    start = Worker.start

    def counted(self: Worker) -> None:
        started.append(self)
        start(self)

    monkeypatch.setattr(Worker, "start", counted)
    original = tmp_path / "project"
    (original / "src" / "shop").mkdir(parents=True)
    (original / "src" / "shop" / "__init__.py").write_text("")
    (original / "src" / "shop" / "model.py").write_text(MODEL)
    target = Target("shop.model:Model", (input_set(["2x4"], "test"),), mode=mode)
    # Else every call compiles again, for the number that counts them.
    config = {"allow_unspec_int_on_nn_module": True}
    settings = Settings(python=sys.executable, paths=(str(original / "src"),), cwd=str(original), config=config)
    found = {}
    with Originals([target], settings) as originals:
        assert len(originals.runs[0].own_breaks) == 1
        for name, (text, _, _) in CHANGES.items():
            copy = tmp_path / name
            shutil.copytree(original, copy)
            file = copy / "src" / "shop" / "model.py"
            file.write_text(file.read_text().replace(BRANCH, text))
            (found[name],) = originals.proofs(Overlay(str(original), str(copy)))
    assert {name: (proof.same, proof.removed) for name, proof in found.items()} == {
        name: (same, removed) for name, (_, same, removed) in CHANGES.items()
    }, {
        name: (proof.after.fate, proof.after.detail, proof.after.output, proof.differences)
        for name, proof in found.items()
    }
    assert all(proof.compared for proof in found.values())
    assert found["wrong"].differences[0].name == "output"
    assert [one.name for one in found["counting twice"].differences] == ["self.calls"]
    assert found["nothing"].after.own_breaks[0].path == str(original / "src" / "shop" / "model.py")
    assert found["right"].after.fate is Fate.RAN
    assert len(started) == 1  # torch is imported once for the original and all copies
    assert not started[0].lives


def test_a_run_that_a_signal_ended_runs_once_more() -> None:
    fates = {"once": [Fate.KILLED, Fate.RAN], "twice": [Fate.KILLED, Fate.KILLED], "exits": [Fate.EXITED]}
    observed: list[str] = []

    def observe(work: Sequence[Work], settings: Settings) -> list[TargetRun]:
        names = [one.target.label for one in work]
        observed.extend(names)
        return [TargetRun(name, fates[name.removeprefix("m:")].pop(0)) for name in names]

    with Originals([Target(f"m:{name}") for name in fates], Settings(), observe) as originals:
        assert [run.fate for run in originals.runs] == [Fate.RAN, Fate.KILLED, Fate.EXITED]
    assert observed == ["m:once", "m:twice", "m:exits", "m:once", "m:twice"]
