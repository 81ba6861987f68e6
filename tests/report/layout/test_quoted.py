"""Which lines a report quotes: Python of the tree and of installed packages, as it was read; nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

from compilelint.model import Confidence, Effect, Finding, Location, Rule, Span
from compilelint.report.layout.quoted import Lines
from compilelint.report.report import Report, TorchTarget
from compilelint.rulebook import UNPARSABLE_FILE

RULE = Rule("CL101", "branch-on-tensor", "a branch", Effect.GRAPH_BREAK)


def finding(path: Path, rule: Rule = RULE) -> Finding:
    """A finding on the first line of a file."""
    return Finding(rule, "text", rule.effects, Confidence.CERTAIN, at(path))


def at(path: Path) -> Location:
    return Location(path.as_posix(), Span(1, 1, 1, 2))


def lines(base: Path, *findings: Finding, unsaved: tuple[tuple[str, bytes], ...] = ()) -> Lines:
    """What a report on a tree may quote."""
    return Lines(Report(findings, 1, TorchTarget("2.13", "asked for"), base.as_posix(), unsaved=unsaved))


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A repository with one file, and a secret beside it."""
    (tmp_path / "repository" / ".git").mkdir(parents=True)
    (tmp_path / "repository" / "a.py").write_text("x = 1\ny = 2\n", encoding="utf-8")
    (tmp_path / "secret.py").write_text("KEY = 'abc'\n", encoding="utf-8")
    return tmp_path / "repository"


def test_a_line_of_the_tree_is_quoted(tree: Path) -> None:
    quoted = lines(tree, finding(tree / "a.py"))
    assert (quoted(at(tree / "a.py"), 1), quoted(at(tree / "a.py"), 2)) == ("x = 1", "y = 2")
    assert quoted(at(tree / "a.py"), 9) == ""


def test_a_file_that_is_refused_as_python_is_not_quoted(tree: Path) -> None:
    (tree / "key.py").write_text("-----BEGIN PRIVATE KEY-----\n", encoding="utf-8")
    refused = lines(tree, finding(tree / "key.py", UNPARSABLE_FILE))
    assert refused(at(tree / "key.py"), 1) == ""
    other = lines(tree, finding(tree / "a.py"), finding(tree / "key.py", UNPARSABLE_FILE))
    assert other(at(tree / "a.py"), 1) == "x = 1"


def test_a_file_outside_of_the_tree_is_not_quoted(tree: Path) -> None:
    quoted = lines(tree, finding(tree / "a.py"))
    assert quoted(at(tree.parent / "secret.py"), 1) == ""
    link = tree / "link.py"
    link.symlink_to(tree.parent / "secret.py")
    assert quoted(at(link), 1) == ""


def test_a_file_of_an_installed_package_is_quoted(tree: Path) -> None:
    package = tree.parent / "env" / "lib" / "site-packages" / "lib.py"
    package.parent.mkdir(parents=True)
    package.write_text("z = 3\n", encoding="utf-8")
    assert lines(tree, finding(tree / "a.py"))(at(package), 1) == "z = 3"


def test_what_is_not_saved_is_quoted_as_it_came(tree: Path) -> None:
    path = (tree / "a.py").as_posix()
    quoted = lines(tree, finding(tree / "a.py"), unsaved=((path, b"x = 7\n"),))
    assert quoted(at(tree / "a.py"), 1) == "x = 7"


def test_a_file_that_is_gone_is_not_quoted(tree: Path) -> None:
    quoted = lines(tree, finding(tree / "a.py"))
    (tree / "a.py").unlink()
    assert quoted(at(tree / "a.py"), 1) == ""
