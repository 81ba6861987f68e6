"""GitLab's artifact: severities and fingerprints."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

from compilelint.model import Confidence
from compilelint.report.formats.gitlab import render as gitlab
from compilelint.report.report import Report
from tests.report.samples import empty, sample


def three(folder: Path) -> Report:
    """A note, a warning and an error, in this order."""
    report = sample(folder)
    branch, read = report.findings
    return replace(report, findings=(replace(read, confidence=Confidence.POSSIBLE), read, branch))


def test_severities_of_gitlab(tmp_path: Path) -> None:
    assert [one["severity"] for one in json.loads(gitlab(three(tmp_path)))] == ["minor", "major", "critical"]
    assert json.loads(gitlab(empty())) == []


def test_equal_findings_have_fingerprints_of_their_own(tmp_path: Path) -> None:
    report = sample(tmp_path)
    twice = replace(report, findings=(report.findings[0],) * 2)
    one, two = json.loads(gitlab(twice))
    assert one["fingerprint"] != two["fingerprint"]


def test_an_entry_says_why_and_what_to_write_instead(tmp_path: Path) -> None:
    branch, read = json.loads(gitlab(sample(tmp_path)))
    assert branch["description"] == (
        "CL101: `if` needs the data of `y`. The data does not exist while Dynamo traces. Help: use `torch.where`."
    )
    assert read["description"] == (
        "CL102: `.item()` reads [bold]the data[/bold] :smile:."
        " Confidence: likely, since it is behind a test that cannot be decided."
    ), "nothing is said twice"
    assert branch["content"] == {
        "body": "The data does not exist while Dynamo traces.\n\nHelp: use <code>torch.where</code>\n\n"
        "`compilelint rule CL101` prints the rule's page."
    }
