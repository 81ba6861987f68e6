"""`--commit-message`: a commit message for each idiom that is rewritten, as a maintainer would paste it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from compilelint.cli import run

NET = """import logging

import torch
from torch import nn
from torch.autograd import Variable

logger = logging.getLogger(__name__)


class Net(nn.Module):
    def forward(self, x: torch.Tensor):
        start = Variable(torch.zeros(3))
        logger.info("forward of %d", len(x))
        if len(x) > 8:
            logger.info("a large batch")
        return x + start
"""
LOGGING = """\
Log only outside compiled code in net.py

Compiled, this ends the graph, as compilelint predicts for torch 2.13:

- net.py:13: `.info()` writes to the log (CL202, GB0291)
- net.py:15: `.info()` writes to the log (CL202, GB0291)

A call that stands alone as a statement (`print`, `logger.info`,
`warnings.warn`) is put under a guard. An `if` that does no more than
that gets the condition in front of its own.

Assumes: The call's result is not used, and does not configure a logger.

Changes: The compiled program is silent, and eager code does what it
did. So it is safe for `print` and methods of a logger whose arguments
have no effects, and unsafe for warnings, which a filter may turn into
errors.

Checked: nothing was run. The rewrite is safe, since results,
exceptions, dtypes, devices and state stay the same for every input, in
eager code and compiled.
"""
CHECK = ["check", "--isolated", "--torch-version", "2.13", "net.py"]


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project of one file, which is the current folder."""
    (tmp_path / "net.py").write_text(NET, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def _sorted(printed: str) -> list[str]:
    """The messages without the line that counts them, in the order of their subjects."""
    return sorted(one.partition("\n\n")[2] for one in printed.split("# Commit message ")[1:])


def test_each_idiom_has_a_message_and_the_diff_follows(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run([*CHECK, "--diff", "--commit-message"]) == 1
    printed = capsys.readouterr().out
    head, _, diff = printed.partition("--- net.py")
    assert [one.partition("\n")[0] for one in _sorted(head)] == [
        "Leave out `Variable` in net.py",
        "Log only outside compiled code in net.py",
    ]
    assert LOGGING in head
    assert "+++ net.py" in diff
    assert (project / "net.py").read_text(encoding="utf-8") == NET


def test_what_is_printed_is_a_patch_still(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run([*CHECK, "--diff", "--commit-message"])
    text = capsys.readouterr().out
    done = subprocess.run(["git", "apply", "-p0", "-"], input=text.encode(), cwd=project, check=False)
    assert done.returncode == 0
    assert "if not torch.compiler.is_compiling():" in (project / "net.py").read_text(encoding="utf-8")


def test_lines_are_those_of_the_file_before(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The second round of fixing meets other lines than the first; the message speaks of those that were there."""
    assert run([*CHECK, "--fix", "--commit-message", "--exit-zero"]) == 0
    printed = capsys.readouterr().out
    assert "- net.py:12: `torch.autograd.Variable()` is not traced (CL601, GB0007)\n" in printed
    assert "- net.py:15: `.info()`" in printed


def test_a_program_that_reads_the_report_is_not_disturbed(capsys: pytest.CaptureFixture[str]) -> None:
    run([*CHECK, "--fix", "--commit-message", "--output", "json"])
    printed = capsys.readouterr()
    json.loads(printed.out)
    assert "Log only outside compiled code in net.py" in printed.err


def test_nothing_is_said_where_nothing_is_fixed(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "net.py").write_text("import torch\n", encoding="utf-8")
    assert run([*CHECK, "--diff", "--commit-message"]) == 0
    assert capsys.readouterr().out == ""


def test_lines_fit_and_none_is_lost_to_git(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Git leaves out lines that begin with `#`; the one above each message is meant to be left out."""
    run([*CHECK, "--diff", "--commit-message", "--unsafe-fixes"])
    head = capsys.readouterr().out.partition("--- net.py")[0]
    messages = _sorted(head)
    assert messages
    for one in messages:
        assert all(len(line) <= 72 for line in one.splitlines())
        assert not any(line.startswith("#") for line in one.splitlines())
        assert one.splitlines()[1] == ""


def test_alone_it_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert run([*CHECK, "--commit-message"]) == 2
    assert "--commit-message alone does nothing: add --fix to write, or --diff to look first" in capsys.readouterr().err


@pytest.mark.dynamo
def test_a_proof_is_reported_as_it_was(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = ["net:Net", "--input", "9x3", "--dynamic-dims", "0", "--python", sys.executable, "--isolated"]
    assert run(["fix", *target, "--commit-message"]) == 1
    said = " ".join(capsys.readouterr().out.partition("--- net.py")[0].split())
    assert "Leave out `Variable` in net.py" in said
    assert "Checked: kept by `compilelint fix` with torch 2." in said
    assert "on net:Net: 3 breaks gone; results, gradients and state equal; exercised:" in said
    assert "(all 3 in one trial)" in said
    assert "nothing was run" not in said


def test_the_old_name_works_and_says_the_new_one(capsys: pytest.CaptureFixture[str]) -> None:
    assert run([*CHECK, "--explain"]) == 2
    printed = capsys.readouterr().err
    assert "note: --explain is called --commit-message now" in printed
    assert "--explain" not in [word for command in ("check", "fix") for word in _help(command, capsys).split()]


def _help(command: str, capsys: pytest.CaptureFixture[str]) -> str:
    assert run([command, "--help"]) == 0
    return capsys.readouterr().out
