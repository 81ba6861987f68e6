"""`compilelint cache` and how `check` uses it: what lies where, what is deleted, what `--no-cache` leaves alone."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.warm_command import warm_command

MODEL = """\
import torch
from torch import nn


class Net(nn.Module):
    def forward(self, x: torch.Tensor):
        return x.item()
"""


def compilelint(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return warm_command(folder, words, os.environ)


def fresh(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """With a seed of its own for hashes, which must not decide what a key of the cache is."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-m", "compilelint", *words]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "p").mkdir()
    (tmp_path / "p" / "model.py").write_text(MODEL, encoding="utf-8")
    return tmp_path


def entries(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.rglob("*.entry"))


def test_a_second_run_says_the_same(folder: Path) -> None:
    first, second = (fresh(folder, "check", "p", "--cache-dir", "c") for _ in range(2))
    assert (first.returncode, first.stderr) == (1, "")
    assert "CL102" in first.stdout
    assert (second.returncode, second.stdout) == (1, first.stdout)
    assert entries(folder / "c")


def test_results_are_kept_in_the_users_cache_folder(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(folder / "home"))
    monkeypatch.setenv("LOCALAPPDATA", str(folder / "home"))
    monkeypatch.setenv("HOME", str(folder / "home"))
    compilelint(folder, "check", "p")
    assert entries(folder / "home")
    printed = compilelint(folder, "cache", "info").stdout
    assert f"{len(entries(folder / 'home'))} entries" in printed


def test_no_cache_neither_reads_nor_writes(folder: Path) -> None:
    compilelint(folder, "check", "p", "--cache-dir", "c", "--no-cache")
    assert not (folder / "c").exists()


def test_clean_deletes_what_was_kept(folder: Path) -> None:
    compilelint(folder, "check", "p", "--cache-dir", "c")
    count = len(entries(folder / "c"))
    done = compilelint(folder, "cache", "clean", "--cache-dir", "c")
    assert (done.returncode, done.stderr) == (0, "")
    assert f"{count} entries deleted" in done.stdout
    assert entries(folder / "c") == []
    assert "0 entries" in compilelint(folder, "cache", "info", "--cache-dir", "c").stdout


def test_a_report_from_the_cache_obeys_what_is_asked_of_it(folder: Path) -> None:
    first = compilelint(folder, "check", "p", "--cache-dir", "c", "--output", "concise")
    (folder / "p" / "model.py").write_text(MODEL.replace("x.item()", "x"), encoding="utf-8")
    fixed = compilelint(folder, "check", "p", "--cache-dir", "c", "--output", "concise")
    assert (first.returncode, fixed.returncode) == (1, 0)
    assert "CL102" not in fixed.stdout
