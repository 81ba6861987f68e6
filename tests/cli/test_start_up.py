"""How much a start loads: each module costs a hook that runs at every commit, and the editor at every key."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

NET = "from torch import nn\n\n\nclass Net(nn.Module):\n    def forward(self, x):\n        return x + 1\n"


def loaded(*words: str, folder: Path) -> list[str]:
    """The modules that a run imports, by Python's own account."""
    command = [sys.executable, "-X", "importtime", "-m", "compilelint", *words]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
    lines = [line for line in done.stderr.splitlines() if line.startswith("import time:")]
    return [line.rpartition("|")[2].strip() for line in lines]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "pyproject.toml").write_text("[project]\n", encoding="utf-8")
    (tmp_path / "net.py").write_text(NET, encoding="utf-8")
    return tmp_path


def test_the_version_loads_next_to_nothing(project: Path) -> None:
    assert len(loaded("--version", folder=project)) <= 70


def test_a_run_from_the_cache_loads_no_interpreter_and_no_parser(project: Path) -> None:
    first = loaded("check", "net.py", "--cache-dir", "kept", folder=project)
    again = loaded("check", "net.py", "--cache-dir", "kept", folder=project)
    assert "compilelint.interp.core.frame" in first
    assert [one for one in again if one.startswith(("compilelint.interp.driver", "compilelint.host"))] == []
    assert not {"libcst", "torch", "jinja2"} & {*first, *again}
    assert len(first) <= 620
    assert len(again) <= 400
