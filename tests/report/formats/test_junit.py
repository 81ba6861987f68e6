"""JUnit: a failure for each finding, and a run that passes."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

from compilelint.model import Confidence
from compilelint.report.formats.junit import render as junit
from compilelint.report.report import Report
from tests.report.samples import empty, sample


def three(folder: Path) -> Report:
    """A note, a warning and an error, in this order."""
    report = sample(folder)
    branch, read = report.findings
    return replace(report, findings=(replace(read, confidence=Confidence.POSSIBLE), read, branch))


def test_junit_has_a_failure_for_each_finding_and_passes_without(tmp_path: Path) -> None:
    root = ElementTree.fromstring(junit(three(tmp_path)).encode())
    assert (root.get("tests"), root.get("failures"), root.get("errors")) == ("3", "3", "0")
    assert [one.get("type") for one in root.iter("failure")] == ["note", "warning", "error"]
    clean = ElementTree.fromstring(junit(empty()).encode())
    assert (clean.get("tests"), clean.get("failures")) == ("1", "0")
    assert [one.get("name") for one in clean.iter("testcase")] == ["no findings in 1 file"]
