"""The summary in Markdown: what it counts, what it leaves out, and how long it may become."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from compilelint.model import Confidence
from compilelint.report.formats.markdown import render as markdown_report
from compilelint.report.formats.markdown import worded
from compilelint.report.report import Report
from tests.report.samples import empty, sample


def three(folder: Path) -> Report:
    """A note, a warning and an error, in this order."""
    report = sample(folder)
    branch, read = report.findings
    return replace(report, findings=(replace(read, confidence=Confidence.POSSIBLE), read, branch))


def test_the_summary_counts_by_rule_and_says_what_is_left_out(tmp_path: Path) -> None:
    text = markdown_report(replace(three(tmp_path), baselined=4, unchanged=5))
    assert "3 findings in 3 files for torch 2.13.0: 🔴 1 error, 🟡 1 warning, 🔵 1 note." in text
    assert "(1 suppressed, 2 of low confidence not shown, 4 in the baseline, 5 on unchanged lines)" in text
    assert "| 2 | CL102 host-read | tensor data is read |" in text
    assert "No findings in 1 file for torch 2.9." in markdown_report(empty())


def test_a_summary_of_thousands_stays_below_what_github_takes(tmp_path: Path) -> None:
    report = sample(tmp_path)
    crowd = replace(report, findings=report.findings * 5_000)
    text = markdown_report(crowd)
    assert len(text.encode()) < 1024 * 1024
    assert "9,500 more findings, the least severe, not shown." in text


def test_places_are_linked_where_a_runner_names_the_commit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {
        "GITHUB_REPOSITORY": "a/b",
        "GITHUB_SHA": "0123456789",
        "GITHUB_SERVER_URL": "https://g.h",
    }.items():
        monkeypatch.setenv(name, value)
    text = markdown_report(three(tmp_path))
    assert "</code>](https://g.h/a/b/blob/0123456789/model.py#L3) |" in text
    monkeypatch.delenv("GITHUB_SHA")
    assert "https://g.h" not in markdown_report(three(tmp_path))


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        pytest.param("see net.py:7:1 (a guess)", "see <code>net.py&#58;7&#58;1</code> (a guess)", id="a place is code"),
        pytest.param("call `f` at a/b.py:20", "call <code>f</code> at <code>a/b.py&#58;20</code>", id="beside code"),
        pytest.param("verify: confirmed", "verify: confirmed", id="a colon before a blank"),
        pytest.param("in net:Net.forward", "in net&#58;Net.forward", id="one colon is no emoji"),
        pytest.param("a :smile: b", "a &#58;&#8203;smile: b", id="an emoji is taken apart"),
        pytest.param("by @me", "by &#64;&#8203;me", id="a mention is taken apart"),
    ],
)
def test_what_is_copied_out_of_a_sentence_holds_no_hidden_characters(text: str, shown: str) -> None:
    assert worded(text) == shown
