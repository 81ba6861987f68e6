"""Attacks on time: a root that would not end is given up with a notice, and the rest of the run is as it was."""

from __future__ import annotations

from pathlib import Path

import pytest

from compilelint.config import Options
from compilelint.interp.core import clock
from compilelint.session.commands.lint import lint
from tests.security.hostile import compilelint

SLOW = """import torch


def run(x: torch.Tensor, n):
    for i in range(n):
        for j in range(n):
            x = x + 1
    MANY
    if x.sum() > 0:
        return x
    return -x
""".replace("    MANY\n", "".join(f"    if n == {i}:\n        x = x + {i}\n" for i in range(40)))
QUICK = """import torch


@torch.compile
def run(x: torch.Tensor):
    if x.sum() > 0:
        return x
    return -x
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "slow.py").write_text(SLOW)
    (tmp_path / "quick.py").write_text(QUICK)
    return tmp_path


def options(project: Path, **more: object) -> Options:
    return Options(paths=(str(project),), torch_version="2.13", roots=("auto", "all"), **more)  # type: ignore[arg-type]


def test_a_root_without_time_is_given_up_with_a_notice(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clock, "_BODIES_A_LOOK", 1)
    monkeypatch.setattr(clock, "thread_time", iter(range(1_000_000)).__next__)  # a second at every look
    report = lint(options(project, timeout=30.0))
    (notice,) = [one for one in report.notices if one.kind == "timeout"]
    assert notice.path is not None
    assert notice.path.endswith("slow.py")
    assert "took 30 s: run" in notice.text
    assert [finding.location.path.endswith("quick.py") for finding in report.findings] == [True]


def test_with_time_enough_nothing_is_given_up(project: Path) -> None:
    report = lint(options(project))
    assert [one for one in report.notices if one.kind == "timeout"] == []
    assert len(report.findings) == 2


def test_what_was_given_up_is_not_remembered(project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = str(tmp_path.parent / f"{tmp_path.name}-cache")
    with monkeypatch.context() as patched:
        patched.setattr(clock, "_BODIES_A_LOOK", 1)
        patched.setattr(clock, "thread_time", iter(range(1_000_000)).__next__)
        assert len(lint(options(project, timeout=30.0, no_cache=False, cache_dir=folder)).findings) == 1
    assert len(lint(options(project, timeout=30.0, no_cache=False, cache_dir=folder)).findings) == 2


@pytest.mark.parametrize("said", ["0", "0.0", "1e9", "121", "inf", "nan", "-1", "true"])
def test_a_tree_cannot_take_the_clock_away(tmp_path: Path, said: str) -> None:
    (tmp_path / "compilelint.toml").write_text(f"timeout = {said}\n", encoding="utf-8")
    (tmp_path / "quick.py").write_text(QUICK, encoding="utf-8")
    done = compilelint(tmp_path, "check", ".", "--no-cache")
    assert done.returncode == 2
    assert "--timeout takes any" in done.stderr
    (tmp_path / "compilelint.toml").write_text("timeout = 120\n", encoding="utf-8")
    for ours in (["--timeout", "0"], ["--timeout", "3600"], ["--config", "timeout = 0"], []):
        assert compilelint(tmp_path, "check", ".", "--no-cache", *ours).returncode == 1
