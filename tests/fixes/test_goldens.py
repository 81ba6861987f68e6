"""Before and after of every rewrite, and what must stay as it is."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from compilelint.fixes.engine import registry
from compilelint.model import Fix, Safety
from compilelint.session.commands.fix import fix
from compilelint.session.commands.lint import lint
from compilelint.session.fixing.propose import with_fixes
from tests.fixes.goldens import Golden, assumed, fixed, goldens, options

CASES = goldens()
CHANGED = [case for case in CASES if case.after is not None]
# What a fix does not end and does not claim to: an argument that may be None still compiles a version for it.
_VARIES = ("CL712", "`mask` is a tensor in some calls and None in others")
LEFT = {case.name: {_VARIES} for case in CHANGED if case.name.startswith("optional: ")}
REWRITE_THEM = "if the new text is right: python -m tests.fixes.goldens"


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_file_becomes_what_the_golden_says(case: Golden, tmp_path: Path) -> None:
    made, _ = fixed(case.before, tmp_path)
    assert made == (case.before if case.after is None else case.after), REWRITE_THEM


@pytest.mark.parametrize("case", CHANGED, ids=lambda case: case.name)
def test_a_second_run_changes_nothing_and_the_finding_is_gone(case: Golden, tmp_path: Path) -> None:
    made, first = fixed(case.before, tmp_path)
    again, second = fixed(made, tmp_path)
    assert again == made
    assert first.settled
    left = [one for one in first.report.findings if (one.rule.code, one.message) not in LEFT.get(case.name, ())]
    assert not left, [finding.message for finding in left]
    assert not second.applied


@pytest.mark.parametrize("case", CHANGED, ids=lambda case: case.name)
def test_no_comment_is_lost(case: Golden) -> None:
    assert case.after is not None
    comments = [line.partition("#")[2] for line in case.before.splitlines() if "#" in line and "ignore[" not in line]
    assert [one for one in comments if one not in case.after] == []


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_without_leave_only_what_changes_nothing_is_done(case: Golden, tmp_path: Path) -> None:
    path = tmp_path / "model.py"
    path.write_text(case.before, encoding="utf-8")
    all_safe = with_fixes(lint(options(path)).findings, unsafe=False)
    assert all(finding.fix is None or finding.fix.safety is Safety.SAFE for finding in all_safe)
    result = fix(options(path), unsafe=False)
    touched = {code for code, count in result.applied.items() if count}
    assert touched <= {"CL101", "CL201", "CL202", "CL301", "CL501", "CL601", "CL608", "CL690", "CL902"}


def test_every_rewrite_has_a_golden() -> None:
    makers = {maker for name in registry.names() for maker in registry.rewrites(name)}
    first_lines = {maker.__doc__.partition("\n")[0] for maker in makers if maker.__doc__}
    assert len(first_lines) == len(makers)
    titles = {fix.title for case in CHANGED for fix in _titles(case)}
    assert len(titles) >= len(first_lines) - 1, sorted(titles)  # `else` and what follows an `if` share a title


def _titles(case: Golden) -> list[Fix]:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.py"
        path.write_text(case.before, encoding="utf-8")
        with assumed():
            found = with_fixes(lint(options(path)).findings)
        return [finding.fix for finding in found if finding.fix is not None]


@pytest.mark.parametrize("case", CHANGED, ids=lambda case: case.name)
def test_what_is_made_parses(case: Golden) -> None:
    assert case.after is not None
    ast.parse(case.after)
