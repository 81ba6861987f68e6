"""Markdown of a real repository: its links lead to the reported lines at the commit, and it counts what it hides."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import pytest

from tests.cli.test_cli import compilelint_in

FIRST = """\
import torch
from torch import nn


class Net(nn.Module):
    def forward(self, x: torch.Tensor):
        return x * x.max().item()
"""
SECOND = """\


class Sums(nn.Module):
    def forward(self, x: torch.Tensor, table: torch.Tensor):
        a = x.sum().item()  # compilelint: ignore[CL102] read once an epoch
        if (
            x.mean()
            > 0
        ):
            return a
        return table.tolist()[0]


@torch.compile
def scaled(x: torch.Tensor, n: int):
    if n > 3:
        return x
    return x + 1
"""
_LINK = re.compile(
    r"</code>\]\(https://github\.com/a/b/blob/([0-9a-f]{40})/([\w/.]+)#L(\d+)(?:-L(\d+))?\) \| \[?(CL\d+)"
)


def git(folder: Path, *words: str) -> str:
    identity = ["-c", "user.name=a", "-c", "user.email=a@b.c", "-c", "commit.gpgsign=false"]
    return subprocess.run(["git", *identity, *words], cwd=folder, check=True, capture_output=True, text=True).stdout


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two commits of a package in a folder of the repository, with a baseline of the first."""
    for name in ("GITHUB_REPOSITORY", "GITHUB_SHA", "CI_PROJECT_URL", "CI_COMMIT_SHA"):
        monkeypatch.delenv(name, raising=False)
    module = tmp_path / "python" / "nets" / "net.py"
    module.parent.mkdir(parents=True)
    module.write_text(FIRST)
    git(tmp_path, "init", "--quiet", "--initial-branch=main")
    git(tmp_path, "remote", "add", "origin", "git@github.com:a/b.git")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "--quiet", "-m", "first")
    made = compilelint_in(tmp_path / "python", "nets", "--update-baseline", "--baseline", "known.json", "-q")
    assert made.returncode == 0, made.stderr
    module.write_text(FIRST + SECOND)
    git(tmp_path, "commit", "--quiet", "-am", "second")
    return tmp_path


def markdown(repository: Path, *words: str) -> str:
    """A run from within the repository, as someone does who works on the package."""
    return compilelint_in(repository / "python", "nets", "--output", "markdown", "--exit-zero", *words).stdout


def found(repository: Path, *words: str) -> list[dict[str, object]]:
    done = compilelint_in(repository / "python", "nets", "--output", "json", "--exit-zero", *words)
    findings: list[dict[str, object]] = json.loads(done.stdout)["findings"]
    return findings


def hidden(text: str, what: str) -> int:
    """The number that the headline has before `what`; 0 where it does not mention it."""
    headline = next(line for line in text.splitlines() if "for torch" in line)
    counted = re.search(rf"(\d+) {what}", headline)
    return int(counted[1]) if counted else 0


def test_each_link_leads_to_the_reported_lines_at_the_commit(repository: Path) -> None:
    commit = git(repository, "rev-parse", "HEAD").strip()
    links = _LINK.findall(markdown(repository))
    reported = found(repository)
    assert len(links) == len(reported) > 2
    for at, path, first, last, rule in links:
        assert at == commit
        lines = git(repository, "show", f"{at}:{path}").splitlines()[int(first) - 1 : int(last or first)]
        same = [one for one in reported if one["rule"] == rule and one["line"] == int(first)]
        assert same, f"{rule} at {first}"
        assert same[0]["end_line"] == int(last or first)
        assert any(words in "\n".join(lines) for words in (".item()", ".tolist()", "x.mean()")), lines
    assert any(last for _, _, _, last, _ in links), "a finding of several lines links to all of them"


def test_what_is_hidden_is_counted_as_other_runs_count_it(repository: Path) -> None:
    plain, shown = markdown(repository), found(repository)
    everything = found(repository, "--min-confidence", "possible")
    assert len(everything) > len(shown)
    assert hidden(plain, "suppressed") == 1
    assert hidden(plain, "of low confidence not shown") == len(everything) - len(shown)
    of_baseline = markdown(repository, "--baseline", "known.json")
    assert hidden(of_baseline, "in the baseline") == 1
    assert len(_LINK.findall(of_baseline)) == len(shown) - 1
    since = markdown(repository, "--diff-base", "HEAD~1")
    assert hidden(since, "on unchanged lines") == 1
    assert len(_LINK.findall(since)) == len(shown) - 1


def test_a_runner_knows_better_than_the_checkout(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GITHUB_REPOSITORY", "fork/b")
    monkeypatch.setenv("GITHUB_SHA", "0" * 40)
    text = markdown(repository)
    assert f"https://github.com/fork/b/blob/{'0' * 40}/python/nets/net.py#L7" in text
    assert "github.com/a/b" not in text
