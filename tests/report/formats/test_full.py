"""What people read: the layout, and that nothing from outside is taken for markup or for a command to the terminal."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

from compilelint.model import Location, Span
from compilelint.report.formats.concise import render as concise
from compilelint.report.formats.full import render as full
from compilelint.report.layout.readiness import readiness
from compilelint.report.report import CompileRoot
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
  = cost: 0.06 to 1.3 ms a step (medians: training 0.9, inference at batch 1 0.33; five models on one H200)
  = help: use `torch.where`
  = fix: rewrite with `torch.where` (unsafe)
3 -     if y:
4 -         x = x + 1
3 +     x = ...
  = reached: from Net.forward, B.forward, C.forward and 1 other; called at model.py:4
  = docs: compilelint rule CL101, GB0170

warning[CL102] host-read: `.item()` reads [bold]the data[/bold] :smile:
 --> model.py:5:12
  |
5 |     return x.item()
  |            ^^^^^^^^
  |
  = cost: 0.06 to 1.3 ms a step (medians: training 0.9, inference at batch 1 0.33; five models on one H200)
  = confidence: likely, since it is behind a test that cannot be decided
  = docs: compilelint rule CL102

Compile roots:
  B.forward: 1 graph break, about 4 graphs, first at model.py:3:8
  Net.forward: 1 graph break, about 4 graphs, first at model.py:3:8, compiled at model.py:6:1

2 findings (1 error, 1 warning) in 1 of 3 files, for torch 2.13.0 (--torch-version). 1 suppressed. \
2 findings of low confidence: --min-confidence possible shows them.
Checked: 2 compile calls found, 1 resolved (1 function), 1 not: model.py:7:1 (a guess); 1 module forward; \
1 function if compiled.
Not checked: 1 function that looks like an entry point: net:Net.generate; \
`--roots auto --roots net:Net.generate` checks it.
Next: 1 has a fix that may change results: `compilelint check --unsafe-fixes --diff` shows it.
Then: `compilelint init --verify` finds how models are built and runs them under TorchDynamo; 1 finding is not certain.
"""


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_full(tmp_path: Path) -> None:
    assert full(sample(tmp_path), color=False, width=None, summary=True) == FULL


def test_paragraphs_are_wrapped_under_each_other_and_source_is_cut(tmp_path: Path) -> None:
    report = sample(tmp_path)
    (tmp_path / "model.py").write_text("\n\n    if y: " + "z" * 60 + "\n", encoding="utf-8")
    report = replace(report, findings=(replace(report.findings[0], related=(), fix=None, why="word " * 20),))
    lines = full(report, color=False, width=44, summary=False).splitlines()
    assert lines[:2] == ["error[CL101] branch-on-tensor: `if` needs", "    the data of `y`"]
    assert "3 |     if y: " + "z" * 29 + "…" in lines
    why = lines.index("  = why: word word word word word word word")
    assert lines[why + 1] == "         word word word word word word word"
    assert max(len(line) for line in lines[why:]) <= 44


def test_without_colour_there_is_no_escape_and_with_colour_the_words_are_the_same(tmp_path: Path) -> None:
    report = sample(tmp_path)
    plain = full(report, color=False, width=None, summary=True)
    colored = full(report, color=True, width=None, summary=True)
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
    for make in (full, concise):
        text = make(replace(report, findings=(evil,)), color=False, width=None, summary=True)
        assert not [character for character in text if not character.isprintable() and character != "\n"]
        assert "/p/\\x1b[2Jx\\x0a.py:1:1" in text


def test_a_file_that_is_gone_still_gets_its_finding(tmp_path: Path) -> None:
    report = sample(tmp_path)
    (tmp_path / "model.py").unlink()
    text = full(report, color=False, width=None, summary=False)
    assert " --> model.py:3:8" in text


def test_nothing_found_is_one_friendly_line_beside_what_was_judged() -> None:
    text = full(empty(), color=False, width=None, summary=True)
    assert text == (
        "All clear in 1 file: no findings for torch 2.9 (--torch-version).\n"
        "Checked: no compile call found; 1 module forward.\n"
    )
    assert full(empty(), color=False, width=None, summary=False) == ""


def test_like_findings_of_one_function_share_a_frame(tmp_path: Path) -> None:
    report = sample(tmp_path)
    lines = "\n".join(f"    x{number}.item()" for number in range(1, 9))
    (tmp_path / "model.py").write_text(lines + "\n", encoding="utf-8")
    found = [
        replace(
            report.findings[1], message="read", location=replace(report.findings[1].location, span=Span(n, 5, n, 14))
        )
        for n in range(1, 9)
    ]
    found[2] = replace(found[2], message="another read")
    other = replace(found[7], function="g")
    text = full(replace(report, findings=(*found[:7], other)), color=False, width=None, summary=False)
    assert (
        text
        == """\
warning[CL102] host-read: read (7x in this function)
 --> model.py:1:5
  |
1 |     x1.item()
  |     ^^^^^^^^^
2 |     x2.item()
  |     ^^^^^^^^^ here too
3 |     x3.item()
  |     ^^^^^^^^^ another read
4 |     x4.item()
  |     ^^^^^^^^^ here too
5 |     x5.item()
  |     ^^^^^^^^^ here too
  |
  = also: line 6, 7
  = cost: 0.06 to 1.3 ms a step (medians: training 0.9, inference at batch 1 0.33; five models on one H200)
  = confidence: likely, since it is behind a test that cannot be decided
  = docs: compilelint rule CL102

warning[CL102] host-read: read
 --> model.py:8:5
  |
8 |     x8.item()
  |     ^^^^^^^^^
  |
  = cost: 0.06 to 1.3 ms a step (medians: training 0.9, inference at batch 1 0.33; five models on one H200)
  = confidence: likely, since it is behind a test that cannot be decided
  = docs: compilelint rule CL102

"""
    )


def test_a_long_way_shows_its_ends(tmp_path: Path) -> None:
    report = sample(tmp_path)
    site = report.findings[0].call_chain[0]
    sites = tuple(
        replace(site, location=replace(site.location, span=Span(n, 1, n, 2))) for n in (11, 12, 13, 14, 15, 16)
    )
    finding = replace(report.findings[0], call_chain=sites, roots=("m.blocks.0.f", "m.blocks.1.f", "m.blocks.2.f"))
    text = full(replace(report, findings=(finding,)), color=False, width=None, summary=False)
    reached = "from 3x m.blocks[0..2].f; called at model.py:11, ... 3 calls ..., model.py:15, model.py:16"
    assert f"  = reached: {reached}\n" in text


def test_compile_roots_are_listed_with_what_is_expected_of_them(tmp_path: Path) -> None:
    report = sample(tmp_path)
    place = report.findings[0].location
    roots = (
        CompileRoot("Net.forward", place, replace(place, span=Span(9, 1, 9, 2)), graphs=4),
        CompileRoot("B.forward", place, None, graphs=2),
        CompileRoot("Whole.forward", place, None),
    )
    stuck = replace(report.findings[0], roots=("B.forward",), skips_frame=True)
    report = replace(report, roots=roots, findings=(report.findings[0], stuck))
    assert [(row.name, row.breaks, row.graphs.most, row.skips) for row in readiness(report)] == [
        ("B.forward", 2, 2, True),
        ("Net.forward", 1, 4, False),
    ]
    text = full(report, color=False, width=None, summary=True)
    assert (
        """\
Compile roots (1 other without a finding):
  B.forward: 2 graph breaks, about 2 graphs, part of a function stays uncompiled, first at model.py:3:8
  Net.forward: 1 graph break, about 4 graphs, first at model.py:3:8, compiled at model.py:9:1
"""
        in text
    )


GOLDEN = Path(__file__).parents[1] / "golden" / "full-60-columns.ansi"


def test_colours_and_width_are_those_of_the_golden(tmp_path: Path) -> None:
    """`UPDATE_GOLDENS=1` writes the file again; look at it with `cat` before committing it."""
    text = full(sample(tmp_path), color=True, width=60, summary=True)
    if os.environ.get("UPDATE_GOLDENS"):
        GOLDEN.parent.mkdir(exist_ok=True)
        GOLDEN.write_text(text, encoding="utf-8")
    assert text == GOLDEN.read_text(encoding="utf-8"), "if it is meant to change, run with UPDATE_GOLDENS=1"
