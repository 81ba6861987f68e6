"""What a run said of a finding, in every format that shows it."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

from compilelint.model.verdict import Outcome, Verdict
from compilelint.report.formats import render
from tests.report.samples import sample


def test_a_verdict_is_shown_and_decides_the_severity(tmp_path: Path) -> None:
    report = sample(tmp_path)
    branch, read = report.findings
    refuted = replace(branch, verdict=Verdict(Outcome.REFUTED, "`Net` ran as one graph", ("Net",)))
    confirmed = replace(read, verdict=Verdict(Outcome.CONFIRMED, "`Net` broke here", ("Net", "Other"), ("GB0170",)))
    report = replace(report, findings=(refuted, confirmed))
    (run,) = json.loads(render(report, "sarif"))["runs"]
    first, second = run["results"]
    assert (first["level"], first["properties"]["verdict"]) == ("error", "confirmed")
    assert first["properties"]["targets"] == ["Net", "Other"]
    assert "Confirmed: `Net` broke here." in first["message"]["text"]
    assert (second["level"], second["properties"]["verdict"]) == ("note", "refuted")
    lines = render(report, "github").splitlines()
    assert lines[0].startswith("::error ")
    assert "%0Averify: confirmed: `Net` broke here%0A" in lines[0]
    assert lines[1].startswith("::notice ")
    assert "verify: refuted: `Net` ran as one graph" in render(report, "junit")
    assert [one["severity"] for one in json.loads(render(report, "gitlab"))] == ["minor", "critical"]
    assert "<br>verify: confirmed: <code>Net</code> broke here" in render(report, "markdown")


def test_without_a_run_nothing_is_said_of_one(tmp_path: Path) -> None:
    report = sample(tmp_path)
    for name in ("sarif", "github", "junit", "markdown"):
        assert "verify:" not in render(report, name)
        assert '"verdict"' not in render(report, name)
