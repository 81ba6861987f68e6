"""Reports for continuous integration: order, severities, counts, and what an empty run looks like."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

from compilelint.model import Confidence, Location, Span
from compilelint.report.formats.github import render as github
from compilelint.report.formats.gitlab import render as gitlab
from compilelint.report.formats.junit import render as junit
from compilelint.report.formats.markdown import render as markdown_report
from compilelint.report.report import Report
from tests.report.samples import empty, sample


def three(folder: Path) -> Report:
    """A note, a warning and an error, in this order."""
    report = sample(folder)
    branch, read = report.findings
    return replace(report, findings=(replace(read, confidence=Confidence.POSSIBLE), read, branch))


def test_annotations_come_worst_first_because_github_shows_ten_of_a_kind(tmp_path: Path) -> None:
    lines = github(three(tmp_path)).splitlines()
    assert [line.split(" ", 1)[0] for line in lines] == ["::error", "::warning", "::notice", "compilelint:"]
    assert "GitHub shows" not in lines[-1]
    crowd = replace(three(tmp_path), findings=three(tmp_path).findings * 11)
    assert github(crowd).splitlines()[-1] == (
        "compilelint: 11 errors, 11 warnings, 11 notes in 3 files; GitHub shows 10 annotations of a kind"
    )


def test_an_annotation_names_the_place_within_the_repository(tmp_path: Path) -> None:
    first = github(sample(tmp_path)).splitlines()[0]
    assert first.startswith("::error file=model.py,line=3,endLine=3,title=CL101 branch-on-tensor,col=8,endColumn=9::")


def test_severities_of_gitlab(tmp_path: Path) -> None:
    assert [one["severity"] for one in json.loads(gitlab(three(tmp_path)))] == ["minor", "major", "critical"]
    assert json.loads(gitlab(empty())) == []


def test_equal_findings_have_fingerprints_of_their_own(tmp_path: Path) -> None:
    report = sample(tmp_path)
    twice = replace(report, findings=(report.findings[0],) * 2)
    one, two = json.loads(gitlab(twice))
    assert one["fingerprint"] != two["fingerprint"]


def test_junit_has_a_failure_for_each_finding_and_passes_without(tmp_path: Path) -> None:
    root = ElementTree.fromstring(junit(three(tmp_path)).encode())
    assert (root.get("tests"), root.get("failures"), root.get("errors")) == ("3", "3", "0")
    assert [one.get("type") for one in root.iter("failure")] == ["note", "warning", "error"]
    clean = ElementTree.fromstring(junit(empty()).encode())
    assert (clean.get("tests"), clean.get("failures")) == ("1", "0")
    assert [one.get("name") for one in clean.iter("testcase")] == ["no findings in 1 file"]


def test_findings_of_a_notebook_name_the_cell_and_the_line_of_the_file(tmp_path: Path) -> None:
    notebook = {"cells": [{"source": ["text"]}, {"source": ["y = 1\n", "x.item()\n"]}]}
    path = tmp_path / "n.ipynb"
    path.write_text(json.dumps(notebook, indent=1), encoding="utf-8")
    line = path.read_text(encoding="utf-8").split("\n").index('    "x.item()\\n"') + 1
    report = sample(tmp_path)
    place = Location(path.as_posix(), Span(2, 1, 2, 9), cell=2)
    report = replace(report, findings=(replace(report.findings[1], location=place),))
    assert f"file=n.ipynb,line={line},endLine={line}," in github(report)
    assert "%0Ain cell 2, line 2%0A" in github(report)
    assert json.loads(gitlab(report))[0]["location"]["lines"] == {"begin": line, "end": line}
    assert "n.ipynb:cell 2:2:1" in junit(report)
    assert "n.ipynb&#58;cell 2&#58;2&#58;1" in markdown_report(report).replace("<code>n.ipynb:", "<code>n.ipynb&#58;")


def test_the_summary_counts_by_rule_and_says_what_is_left_out(tmp_path: Path) -> None:
    text = markdown_report(replace(three(tmp_path), baselined=4, unchanged=5))
    assert "3 findings in 3 files for torch 2.13.0: 🔴 1 error, 🟡 1 warning, 🔵 1 note." in text
    assert "(1 suppressed, 2 less sure not shown, 4 in the baseline, 5 on unchanged lines)" in text
    assert "| 2 | CL102 host-read | tensor data is read |" in text
    assert "No findings in 1 file for torch 2.9." in markdown_report(empty())


def test_a_summary_of_thousands_stays_below_what_github_takes(tmp_path: Path) -> None:
    report = sample(tmp_path)
    crowd = replace(report, findings=report.findings * 5_000)
    text = markdown_report(crowd)
    assert len(text.encode()) < 1024 * 1024
    assert "9,500 more findings, the least severe, not shown." in text
