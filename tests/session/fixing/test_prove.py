"""`compilelint fix`: real TorchDynamo decides what is kept."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from compilelint.cli import run

NET = """import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 4)

    def forward(self, x: torch.Tensor):
        print("forward")
        if x.shape[0] > 99:
            print("deep")
        return self.layer(x)
"""

pytestmark = [pytest.mark.dynamo, pytest.mark.usefixtures("shared_worker")]


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project of one file, which is the current folder."""
    (tmp_path / "net.py").write_text(NET, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


COMMAND = ["fix", "net:Net", "--input", "2x4", "--mode", "train", "--python", sys.executable, "--isolated"]


def test_a_fix_is_kept_with_proof_only(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run([*COMMAND, "--apply"]) == 0
    printed = capsys.readouterr().err
    fixed = (project / "net.py").read_text(encoding="utf-8")
    kept = '        if not torch.compiler.is_compiling():\n            print("forward")\n'
    assert fixed == NET.replace('        print("forward")\n', kept)
    assert "kept: net.py:11 CL201" in printed
    assert "1 break gone; results, gradients and state equal" in printed
    assert "all 2 sides of it" in printed
    assert "kept 1 of 1 fixes" in printed
    assert "not tried: 1 fix on lines that no target runs (net.py 1)" in printed
    assert "net.py:14" not in printed


@pytest.mark.slow
def test_without_leave_the_diff_is_shown_and_nothing_written(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(COMMAND) == 1
    assert '+            print("forward")' in capsys.readouterr().out
    assert (project / "net.py").read_text(encoding="utf-8") == NET


# A break inside a loop skips the whole frame: what breaks behind the loop shows only when the loop is whole.
UNCOVERS = """import torch
from torch import nn


class Net(nn.Module):
    def forward(self, x: torch.Tensor):
        for factor in (2, 3):
            print("step", factor)
            x = x * factor
        print("done")
        return x + 1
"""


@pytest.mark.slow
def test_a_fix_that_uncovers_a_break_is_judged_with_the_fix_of_that_break(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "net.py").write_text(UNCOVERS, encoding="utf-8")
    assert run([*COMMAND, "--apply"]) == 0
    printed = capsys.readouterr().err
    fixed = (project / "net.py").read_text(encoding="utf-8")
    assert fixed.count("if not torch.compiler.is_compiling():") == 2
    assert printed.count("kept: ") == 2
    assert "checked with 1 more" in printed


@pytest.mark.slow
def test_a_bundle_that_fails_is_dropped_as_a_whole(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    stuck = UNCOVERS.replace("return x + 1", "return x * 2 if x.sum() > 0 else [x]")
    (project / "net.py").write_text(stuck, encoding="utf-8")
    assert run([*COMMAND, "--apply"]) == 1, "it still breaks"
    assert (project / "net.py").read_text(encoding="utf-8") == stuck
    assert "another break shows" in capsys.readouterr().err


RAISES = """import torch
import torch.nn.functional as F
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("counts", torch.tensor([1, 3]))

    def forward(self, x: torch.Tensor):
        lengths = torch.repeat_interleave(4 - self.counts, self.counts)
        queries, keys, values = x, x * 2, x + 1
        splits = [torch.split(y, lengths.tolist(), dim=2) for y in (queries, keys, values)]
        chunks = [F.scaled_dot_product_attention(q, k, v, attn_mask=None) for q, k, v in zip(*splits)]
        return torch.cat(chunks, dim=2)
"""


@pytest.mark.slow
def test_a_switch_that_makes_compiling_raise_is_dropped(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "net.py").write_text(RAISES, encoding="utf-8")
    command = [word.replace("2x4", "1x2x6x4").replace("train", "eval") for word in COMMAND]
    assert run(command) == 0
    assert "capture_dynamic" not in capsys.readouterr().out
    assert run([*command, "--apply", "--allow-config"]) == 1, "it still breaks"
    assert (project / "net.py").read_text(encoding="utf-8") == RAISES
    assert "GuardOnDataDependentSymNode" in capsys.readouterr().err


FIRST = """import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 4)
        self.started = False

    def forward(self, x: torch.Tensor):
        if not self.started:
            self.started = True
            print("first")
        return self.layer(x)
"""


@pytest.mark.slow
def test_what_only_the_first_call_does_is_seen(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "net.py").write_text(FIRST, encoding="utf-8")
    assert run([*COMMAND, "--apply"]) == 0
    assert "kept: net.py:14 CL201" in capsys.readouterr().err
