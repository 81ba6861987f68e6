"""Reports under several Pythons."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from benchmarks.builds import builds, main

MODEL = """\
import torch
from torch import nn


class M(nn.Module):
    def forward(self, x):
        if x.sum() > 0:
            return x
        return -x
"""


def with_torch(place: Path, version: str) -> None:
    """A torch that cannot be imported, beside the linter."""
    (place / "torch").mkdir(parents=True)
    (place / "torch" / "__init__.py").write_text("raise ImportError('the static pass imports no torch')")
    (place / f"torch-{version}.dist-info").mkdir()
    metadata = f"Metadata-Version: 2.1\nName: torch\nVersion: {version}\n"
    (place / f"torch-{version}.dist-info" / "METADATA").write_text(metadata)


def test_the_torch_beside_the_linter_changes_no_byte(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    linted = tmp_path / "model.py"
    linted.write_text(MODEL)
    before = os.environ.get("PYTHONPATH", "")
    found = []
    for version in ("2.13.0", "2.15.0"):
        with_torch(tmp_path / version, version)
        monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(tmp_path / version), before]).strip(os.pathsep))
        found += builds([sys.executable], [linted], tmp_path)
    assert [one.torch for one in found] == ["2.13.0", "2.15.0"]
    assert len({one.report for one in found}) == 1


def test_the_same_reports_are_no_failure(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "model.py").write_text(MODEL)
    assert main([sys.executable, sys.executable, "--linted", str(tmp_path / "model.py")]) == 0
    assert capsys.readouterr().out.count("source") == 2
