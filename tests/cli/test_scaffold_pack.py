"""`compilelint dev new-rule TEAM001 ...`: what it writes is a pack whose cases hold."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from compilelint.cli import app
from compilelint.dynamic.no_worker import NoWorkerError
from compilelint.session.commands import test_rules
from compilelint.session.commands.test_rules import tried


def test_the_new_rule_is_tried_and_found(tmp_path: Path) -> None:
    done = CliRunner().invoke(app, ["dev", "new-rule", "TEAM001", "my-pattern", "--root", str(tmp_path)])
    assert done.exit_code == 0, done.output
    assert sorted(path.name for path in tmp_path.iterdir()) == ["TEAM001-my-pattern.md", "my_pattern.py"]
    cases = tried([str(tmp_path / "my_pattern.py")])
    assert [str(case) for case in cases] == ["TEAM001 VALID 1: as it says", "TEAM001 INVALID 1: as it says"]


def test_nothing_is_overwritten(tmp_path: Path) -> None:
    words = ["dev", "new-rule", "TEAM001", "my-pattern", "--root", str(tmp_path)]
    CliRunner().invoke(app, words)
    again = CliRunner().invoke(app, words)
    assert again.exit_code != 0
    assert "exists" in again.output


@pytest.mark.parametrize(("code", "name"), [("TEAM001", "My Pattern"), ("team001", "my-pattern"), ("CLX001", "a-b")])
def test_a_code_or_name_that_is_none_is_refused(tmp_path: Path, code: str, name: str) -> None:
    done = CliRunner().invoke(app, ["dev", "new-rule", code, name, "--root", str(tmp_path)])
    assert done.exit_code != 0
    assert "is not a rule" in done.output


def test_trying_cases_without_torch_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise NoWorkerError("python cannot import torch", "install it")

    monkeypatch.setattr(test_rules, "tried", refuse)
    result = CliRunner().invoke(app, ["dev", "test-rules", "--dynamo"])
    assert result.exit_code != 0
    assert "python cannot import torch (compilelint dev test-rules --dynamo); install it" in result.output
