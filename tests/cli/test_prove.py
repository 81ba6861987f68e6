"""`compilelint prove`: a change by hand, from a patch, from git, from two files."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from compilelint.cli import run

pytestmark = pytest.mark.usefixtures("shared_worker")

NET = """import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 4)

    def forward(self, x: torch.Tensor):
        y = self.layer(x)
        if y.sum() > 0:
            y = y + 1
        return y
"""
RIGHT = NET.replace("if y.sum() > 0:\n            y = y + 1", "y = torch.where(y.sum() > 0, y + 1, y)")
WRONG = RIGHT.replace("y + 1, y)", "y + 1, y.detach())")
TARGET = ["net:Net", "--input", "2x4", "--mode", "train", "--python", sys.executable, "--isolated"]


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project of one file, which is the current folder, in a repository."""
    folder = tmp_path / "shop"
    folder.mkdir()
    (folder / "net.py").write_text(NET, encoding="utf-8")
    for words in (["init", "-q"], ["add", "."], ["-c", "user.email=a@b", "-c", "user.name=n", "commit", "-qm", "one"]):
        subprocess.run(["git", *words], cwd=folder, check=True)
    monkeypatch.chdir(folder)
    return folder


@pytest.mark.slow
@pytest.mark.dynamo
def test_a_right_patch_is_proven_and_nothing_written(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "net.py").write_text(RIGHT, encoding="utf-8")
    patch = subprocess.run(["git", "diff"], cwd=project, check=True, capture_output=True, text=True).stdout
    (project / "net.py").write_text(NET, encoding="utf-8")
    (project.parent / "right.diff").write_text(patch, encoding="utf-8")
    assert run(["prove", *TARGET, "--patch", "../right.diff", "--output", "json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["proven"], found["files"]) == (True, ["net.py"])
    assert (found["targets"][0]["breaks"], found["targets"][0]["graphs"]) == ([1, 0], [2, 1])
    assert (project / "net.py").read_text(encoding="utf-8") == NET


@pytest.mark.slow
@pytest.mark.dynamo
def test_a_wrong_working_tree_is_refused_against_a_commit(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "net.py").write_text(WRONG, encoding="utf-8")
    assert run(["prove", *TARGET, "--against", "HEAD", "--output", "markdown"]) == 1
    said = capsys.readouterr().out
    assert said.startswith("**Not proven**: gradient")
    assert "| `net:Net` | no | 1 to 0 |" in said


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        ([], "no change"),
        (["--against", "HEAD", "--files", "net.py", "net.py"], "more than one change"),
        (["--against", "nowhere"], "git knows no such revision here"),
        (["--against", "HEAD"], "nothing differs"),
        (["--patch", "net.py"], "the patch does not apply"),
        (["--files", "../other.py", "../other.py"], "the file is outside the current folder"),
        (["--against", "HEAD", "--output", "xml"], "unknown format 'xml'"),
    ],
)
def test_a_wrong_request_says_what_to_write(
    project: Path, words: list[str], complaint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (project.parent / "other.py").write_text("", encoding="utf-8")
    assert run(["prove", *TARGET, *words]) == 2
    assert complaint in capsys.readouterr().err
