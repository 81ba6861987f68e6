"""What still breaks when all fixes were tried: a line for each statement, with what to write."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from compilelint.config import Options
from compilelint.model import Fate, ObservedBreak, Safety, TargetRun
from compilelint.model.finding import Fix
from compilelint.session.commands.fix import Fixed
from compilelint.session.commands.lint import lint
from compilelint.session.fixing.left import left
from compilelint.session.fixing.prove import Entry, Proven

MODEL = """from torch import nn


class Net(nn.Module):
    def forward(self, x):
        n = x.sum().item()
        return x * n
"""


@pytest.fixture
def path(tmp_path: Path) -> str:
    file = tmp_path / "net.py"
    file.write_text(MODEL, encoding="utf-8")
    return file.as_posix()


def broken_at(path: str, line: int) -> ObservedBreak:
    return ObservedBreak(path, line, line, line, "Net.forward", "", "GB0124", "", "Unsupported call", "", (), None, 1)


def proven(path: str, *lines: int) -> Proven:
    """All was tried, and these lines still break."""
    report = lint(Options((path,), torch_version="2.13"))
    run = TargetRun("net:Net", Fate.RAN, breaks=tuple(broken_at(path, line) for line in lines))
    return Proven((), Fixed(report, {}, Counter(), 0, True), (run,), (run,))


def words(found: Proven) -> list[str]:
    return list(left(found, lambda path: Path(path).name))


def test_a_finding_without_a_fix_is_named_with_its_help(path: str) -> None:
    (line,) = words(proven(path, 6))
    assert line.startswith("no fix: net.py:6 CL102 `.item()` reads the data of `x.sum()`; keep it as a 0-d tensor")
    assert line.endswith(
        " rewrites fits the text around it: `compilelint rule CL102` says, under Fix, where each is legal"
    )


def test_a_finding_that_no_rewrite_is_written_for_says_so(path: str) -> None:
    found = proven(path, 6)
    bare = replace(found.fixed.report.findings[0], rewrite=None)
    (line,) = words(replace(found, fixed=replace(found.fixed, report=replace(found.fixed.report, findings=(bare,)))))
    assert line.endswith("; no rewrite is written for it")


def test_a_break_that_no_finding_is_about_is_named_as_torch_does(path: str) -> None:
    assert words(proven(path, 7)) == ["no fix: net.py:7 GB0124 Unsupported call; no finding is about it"]


def test_a_fix_that_was_dropped_has_its_line_already(path: str) -> None:
    found = proven(path, 6)
    (finding,) = found.fixed.report.findings
    fix = Fix(Safety.UNSAFE, "", ())
    assert words(replace(found, ledger=(Entry(finding, fix, False, "differs"),))) == []
    assert len(words(replace(found, ledger=(Entry(finding, fix, True, "kept"),)))) == 1, "kept, and it breaks still"


def test_a_long_list_is_cut_and_counted(path: str) -> None:
    found = words(proven(path, *range(10, 25)))
    assert len(found) == 11
    assert found[-1] == "5 more without a fix: `compilelint verify` lists all breaks"
