"""What people read: the layout, and that nothing from outside is taken for markup or for a command to the terminal."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from compilelint.model import Location, Span
from compilelint.report import console
from tests.report.samples import empty, sample

FULL = """\
error[CL101] branch-on-tensor: `if` needs the data of `y`
 --> model.py:3:8
  |
2 |     y = x.sum() > 0
  |         ----------- result of `>`
3 |     if y:
  |        ^
  |
  = why: The data does not exist while Dynamo traces.
  = help: use `torch.where`
  = fix: rewrite with `torch.where` (unsafe)
  = reached: from Net.forward, B.forward, C.forward and 1 other; called at model.py:4
  = docs: compilelint rule CL101, GB0170

warning[CL102] host-read: `.item()` reads [bold]the data[/bold] :smile:
 --> model.py:5:12
  |
5 |     return x.item()
  |            ^^^^^^^^
  |
  = confidence: likely
  = docs: compilelint rule CL102

2 findings (1 error, 1 warning) in 1 of 3 files, for torch 2.13.0 (--torch-version). 1 suppressed. \
2 findings less sure: --min-confidence possible.
Next: `compilelint rule CL101` explains the most frequent rule and what to write instead.
"""


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_full(tmp_path: Path) -> None:
    assert console.full(sample(tmp_path), color=False, width=None, summary=True) == FULL


def test_concise_is_a_line_a_finding(tmp_path: Path) -> None:
    text = console.concise(sample(tmp_path), color=False, width=40, summary=False)
    assert text.splitlines() == [
        "model.py:3:8: error[CL101] `if` needs the data of `y`",
        "model.py:5:12: warning[CL102] `.item()` reads [bold]the data[/bold] :smile:",
    ]


def test_paragraphs_are_wrapped_under_each_other_and_source_is_not(tmp_path: Path) -> None:
    report = sample(tmp_path)
    (tmp_path / "model.py").write_text("\n\n    if y: " + "z" * 60 + "\n", encoding="utf-8")
    report = replace(report, findings=(replace(report.findings[0], related=(), why="word " * 20),))
    lines = console.full(report, color=False, width=44, summary=False).splitlines()
    assert "3 |     if y: " + "z" * 60 in lines
    why = lines.index("  = why: word word word word word word word")
    assert lines[why + 1] == "         word word word word word word word"
    assert max(len(line) for line in lines[why:]) <= 44


def test_without_colour_there_is_no_escape_and_with_colour_the_words_are_the_same(tmp_path: Path) -> None:
    report = sample(tmp_path)
    plain = console.full(report, color=False, width=None, summary=True)
    colored = console.full(report, color=True, width=None, summary=True)
    assert "\x1b" not in plain
    assert "\x1b[1;31merror[CL101]\x1b[0m" in colored
    assert strip_colours(colored) == plain


def strip_colours(text: str) -> str:
    import re

    return re.sub(r"\x1b\[[0-9;]*m", "", text)


def test_names_and_messages_cannot_steer_the_terminal(tmp_path: Path) -> None:
    report = sample(tmp_path)
    evil = replace(
        report.findings[0],
        location=Location("/p/\x1b[2Jx\n.py", Span(1, 1, 1, 2)),
        message="\x1b]0;owned\x07\u202e",
        roots=("a\rb",),
        related=(),
        call_chain=(),
    )
    for make in (console.full, console.concise):
        text = make(replace(report, findings=(evil,)), color=False, width=None, summary=True)
        assert not [character for character in text if not character.isprintable() and character != "\n"]
        assert "/p/\\x1b[2Jx\\x0a.py:1:1" in text


def test_a_file_that_is_gone_still_gets_its_finding(tmp_path: Path) -> None:
    report = sample(tmp_path)
    (tmp_path / "model.py").unlink()
    text = console.full(report, color=False, width=None, summary=False)
    assert " --> model.py:3:8" in text


def test_nothing_found_is_one_friendly_line() -> None:
    text = console.full(empty(), color=False, width=None, summary=True)
    assert text == "All clear in 1 file: no findings for torch 2.9 (--torch-version).\n"
    assert console.full(empty(), color=False, width=None, summary=False) == ""


def test_statistics_put_the_most_frequent_rule_first(tmp_path: Path) -> None:
    report = sample(tmp_path)
    report = replace(report, findings=(*report.findings, report.findings[1]))
    assert console.statistics(report).splitlines() == [
        "     2  CL102  host-read  (2 warnings)",
        "     1  CL101  branch-on-tensor  (1 error)",
    ]
    assert console.statistics(empty()) == "no findings"


def test_a_page_is_rendered_for_terminals() -> None:
    text = strip_colours(console.markdown("## Bad\n\n```python\nif x: ...\n```\n", 60))
    assert "Bad" in text
    assert "if x: ..." in text
    assert "```" not in text
