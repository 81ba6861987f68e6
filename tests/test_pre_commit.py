"""The hooks as pre-commit runs them: installed from a local repository, on real commits."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from compilelint import __version__
from compilelint.cli import run

ROOT = Path(__file__).parent.parent
SHIPPED = ("src", "rules", "pyproject.toml", "README.md", "LICENSE", ".pre-commit-hooks.yaml")
MODEL = "def f(x: torch.Tensor):\n    if x.sum() > 0:\n        return x\n    return -x\n"
BREAKS = f"import torch\n\n\n@torch.compile\n{MODEL}"
SUPPRESSED = BREAKS.replace("> 0:", "> 0:  # compilelint: ignore[CL101] rare")


def git(folder: Path, *words: str, check: bool = True) -> subprocess.CompletedProcess[str]:
    who = ["-c", "user.name=n", "-c", "user.email=e@example.org", "-c", "commit.gpgsign=false"]
    environment = {**os.environ, "PRE_COMMIT_HOME": str(folder.parent / "pre-commit")}
    done = subprocess.run(
        ["git", *who, *words], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0 or not check, done.stdout + done.stderr
    return done


def pre_commit(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PRE_COMMIT_HOME": str(folder.parent / "pre-commit")}
    command = [sys.executable, "-m", "pre_commit", *words, "--color=never"]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def hooks(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """This project as a repository of its own, with what is not committed yet."""
    folder = tmp_path_factory.mktemp("hooks") / "compilelint"
    folder.mkdir()
    for name in SHIPPED:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(source, folder / name)
    git(folder, "init", "-q")
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "one")
    return folder


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A repository with one finding, staged."""
    folder = tmp_path / "a project"
    folder.mkdir()
    git(folder, "init", "-q")
    (folder / "net.py").write_text(BREAKS, encoding="utf-8")
    (folder / "notes.txt").write_text("no Python\n", encoding="utf-8")
    git(folder, "add", "-A")
    return folder


@pytest.mark.slow
def test_the_hook_finds_fails_and_passes_after_a_suppression(hooks: Path, project: Path) -> None:
    tried = pre_commit(project, "try-repo", str(hooks), "compilelint", "--all-files", "--verbose")
    assert tried.returncode == 1, tried.stdout + tried.stderr
    assert "net.py:6:8" in tried.stdout
    assert "error[CL101]" in tried.stdout  # a warning stops no commit
    assert "Failed" in tried.stdout

    revision = git(hooks, "rev-parse", "HEAD").stdout.strip()
    config = f"repos:\n- repo: {hooks}\n  rev: {revision}\n  hooks:\n  - id: compilelint\n"
    (project / ".pre-commit-config.yaml").write_text(config, encoding="utf-8")
    git(project, "add", "-A")
    assert pre_commit(project, "install").returncode == 0
    refused = git(project, "commit", "-m", "one", check=False)
    assert refused.returncode == 1
    assert "error[CL101]" in refused.stdout + refused.stderr

    (project / "net.py").write_text(SUPPRESSED, encoding="utf-8")
    git(project, "add", "-A")
    passed = git(project, "commit", "-m", "one")
    assert "Passed" in passed.stdout + passed.stderr
    environments = list((project.parent / "pre-commit").glob("*/py_env*"))
    assert environments
    assert not [path for one in environments for path in one.rglob("site-packages/torch")], (
        "the static hook has no torch"
    )


@pytest.mark.slow
def test_the_hook_of_the_readme_works_as_it_is_copied(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    blocks = (ROOT / "README.md").read_text(encoding="utf-8").split("```yaml\n")
    (project / ".pre-commit-config.yaml").write_text(blocks[1].split("```")[0], encoding="utf-8")
    git(project, "add", "-A")
    done = pre_commit(project, "run", "--all-files")
    assert done.returncode == 1
    assert "CL101" in done.stdout
    assert "[WARNING]" not in done.stdout + done.stderr


@pytest.mark.slow
def test_the_hook_of_the_docs_works_with_a_tag_of_a_clone(hooks: Path, project: Path) -> None:
    page = (ROOT / "docs" / "ci.md").read_text(encoding="utf-8")
    (config,) = [one.split("```")[0] for one in page.split("```yaml\n")[1:] if "rev: " in one]
    git(hooks, "tag", f"v{__version__}")
    assert f"rev: v{__version__}\n" in config
    (project / ".pre-commit-config.yaml").write_text(config, encoding="utf-8")
    (project / ".venv").symlink_to(Path(sys.prefix))
    git(project, "add", ".pre-commit-config.yaml")
    assert hooks.name == "compilelint"
    (project.parent / "compilelint").symlink_to(hooks)
    done = pre_commit(project, "run", "--files", "net.py")
    assert done.returncode == 1, done.stdout + done.stderr
    assert "CL101" in done.stdout
    assert "[WARNING]" not in done.stdout + done.stderr, "a branch is no revision that stays"


def hooks_file() -> list[dict[str, Any]]:
    import yaml

    found: list[dict[str, Any]] = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
    return found


def test_every_hook_is_a_command_that_exists(capsys: pytest.CaptureFixture[str]) -> None:
    for hook in hooks_file():
        program, *words = hook["entry"].split()
        assert program == "compilelint"
        assert run([*words, "--help"]) == 0, hook["entry"]
        assert "Usage: compilelint" in capsys.readouterr().out


def test_only_the_hook_that_runs_code_may_need_torch() -> None:
    for hook in hooks_file():
        static = hook["id"] != "compilelint-verify"
        assert hook["language"] == ("python" if static else "system"), hook["id"]
        assert "additional_dependencies" not in hook
        assert hook["require_serial"] is True, hook["id"]
