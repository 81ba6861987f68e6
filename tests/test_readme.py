"""What the README shows of the rules and of the tool is what they say themselves."""

from __future__ import annotations

import pytest

from benchmarks import readme
from compilelint.cli import run
from compilelint.rulebook import pages


def test_the_rule_table_is_that_of_the_rules() -> None:
    text = readme.README.read_text(encoding="utf-8")
    assert text == readme.with_table(text), "run `python -m benchmarks.readme --update`"


def test_every_page_of_the_table_is_there() -> None:
    linked = {line.split("](")[1].split(")")[0] for line in readme.table().splitlines() if "](" in line}
    assert linked
    assert all((readme.README.parent / page).is_file() for page in linked)
    assert len(linked) == len(pages())


def test_the_finding_it_shows_is_what_the_demo_prints(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    root = readme.README.parent
    monkeypatch.chdir(root)
    run(["check", "fixtures/demo", "--exit-zero", "--color", "never"])
    shown = readme.README.read_text(encoding="utf-8").split("```\n")[1]
    assert shown in capsys.readouterr().out
