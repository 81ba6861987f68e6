"""`compilelint bench` as a user meets it: a planted slowdown is found and priced, and what is written can be read."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import compilelint

pytestmark = [pytest.mark.dynamo, pytest.mark.slow]

SOURCE = Path(compilelint.__file__).parents[1]
# The break costs a trip to Python in each of three blocks, more than their little arithmetic does.
PLANTED = """\
import torch
from torch import nn


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(16, 16)

    def forward(self, x):
        y = torch.tanh(self.layer(x))
        if y.max() > 1e6:
            y = y / 2
        return x + y


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = nn.ModuleList(Block() for _ in range(3))

    def forward(self, x):
        for block in self.blocks:
            x = block(x)
        return x


class Missing(nn.Module):
    def forward(self, x):
        return x + self.nowhere
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "planted.py").write_text(PLANTED)
    return tmp_path


def call(folder: Path, *words: str, **more: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(SOURCE), **more}
    few = ("--config", "default", "--repeats", "4", "--seconds", "0.02", "--threads", "1", "--isolated")
    command = [sys.executable, "-m", "compilelint", "bench", *words, *few]
    return subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=600, check=False
    )


def messages(done: subprocess.CompletedProcess[str]) -> list[str]:
    """What is said of the outcome; before it, progress is printed, also into a log."""
    return [line for line in done.stderr.splitlines() if re.match("compilelint: (error|note|warning): ", line)]


def test_a_break_in_the_block_is_found_and_priced(project: Path) -> None:
    outputs = [word for name in ("json:r.json", "html:r.html", "markdown:r.md") for word in ("--output", name)]
    done = call(project, "planted:Net", "--input", "4x16", *outputs)
    assert done.returncode == 0, done.stderr
    (bench,) = json.loads((project / "r.json").read_text())["benches"]
    eager, default, fixed = bench["configurations"]
    assert [(one["line"], one["break_id"]) for one in default["breaks"]] == [(12, "GB0170")]
    assert fixed["change"].startswith("CL101 at planted.py:12, ")
    assert fixed["breaks"] == []
    assert fixed["price"]["saved"]["low"] > 0, "three trips to Python cost more than nothing"
    assert fixed["price"]["ratio"]["low"] > 1.0
    assert fixed["agreement"]["error"] < 1e-4
    assert eager["fate"] == default["fate"] == "ran"
    page = (project / "r.html").read_text()
    assert "Does compiling pay?" in page
    assert "CL101" in page, "the findings stand beside what they cost"
    assert "| default with CL101 at planted.py:12" in (project / "r.md").read_text()


def test_a_target_that_does_not_run_is_1_and_reported(project: Path) -> None:
    done = call(project, "planted:Missing", "--input", "4x16", "--output", "json:r.json", "--output", "markdown:r.md")
    assert (done.returncode, done.stdout) == (1, "")
    page = (project / "r.md").read_text()
    assert "Not measured: AttributeError: 'Missing' object has no attribute 'nowhere'" in page
    (bench,) = json.loads((project / "r.json").read_text())["benches"]
    assert [one["fate"] for one in bench["configurations"]] == ["eager-error"] * 2
    error, note = messages(done)
    assert error.startswith("compilelint: error: planted:Missing: not measured: AttributeError: ")
    assert "planted.py:30" in error, "where"
    assert error.endswith("; make it run without compiling, or give it other inputs")
    assert note == "compilelint: note: the report is in r.json, r.md"


def test_without_a_compiler_it_is_2_and_says_what_to_install(project: Path) -> None:
    done = call(project, "planted:Net", "--input", "4x16", "--no-prices", CXX="no-such-compiler")
    assert done.returncode == 2
    assert done.stdout == ""
    assert len(messages(done)) == 1
    assert (
        "with a C++ compiler, and none works here (compilelint bench); install one (as in apt install g++)"
        in done.stderr
    )


def test_without_torch_it_is_2_and_says_how_to_install_it(project: Path) -> None:
    python = project / "python"
    python.write_text(f'#!/bin/sh\nexec {sys.executable} -S "$@"\n')  # without site-packages
    python.chmod(0o755)
    done = call(project, "planted:Net", "--input", "4x16", "--python", str(python))
    assert done.returncode == 2
    assert len(messages(done)) == 1
    assert "cannot import torch: No module named 'torch' (compilelint bench)" in done.stderr
    assert "; install it there: pip install 'compilelint[dynamic]'" in done.stderr
    assert "see above" not in done.stderr


def test_quick_gives_a_first_verdict_within_a_minute_and_says_what_it_is_at(project: Path, bare_path: str) -> None:
    environment = {**os.environ, "PYTHONPATH": str(SOURCE), "PATH": bare_path}
    words = ["bench", "planted:Net", "--input", "4x16", "--quick", "--threads", "1", "--isolated"]
    command = [sys.executable, "-m", "compilelint", *words]

    def timed(words: list[str]) -> tuple[subprocess.CompletedProcess[str], float]:
        before = os.times()
        done = subprocess.run(
            words, cwd=project, env=environment, capture_output=True, text=True, timeout=300, check=False
        )
        after = os.times()
        return done, after.children_user + after.children_system - before.children_user - before.children_system

    done, used = timed(command)
    assert done.returncode == 0, done.stderr
    assert "planted:Net" in done.stdout
    assert "running TorchDynamo on the targets" not in done.stderr, "nothing is run that no price needs"
    first, *others = done.stderr.splitlines()
    assert first.endswith("starting processes for eager and default (each imports torch)"), "before torch is there"
    assert any(re.search(r"so far eager [\d.]+ [mµ]?s, default [\d.]+ [mµ]?s", line) for line in others)
    # A quiet machine imports torch in 2.5 CPU seconds; a slower or busier one needs longer for both.
    slower = max(timed([sys.executable, "-c", "import torch"])[1] / 2.5, 1.0)
    assert used / slower < 60, "CPU seconds: a minute, on a machine that does nothing else"
