"""The JSON report: its schema, its coordinates, and marks that outlive edits."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import pytest

import compilelint.report
from compilelint.model import Finding, Location, Span
from compilelint.report.formats.json import render as json_report
from compilelint.report.layout.fingerprints import fingerprints
from compilelint.report.report import Report
from tests.report.samples import empty, sample

SCHEMA = Path(compilelint.report.__file__).with_name("schema-1.json")


@pytest.fixture(scope="module")
def validator() -> Any:
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


def test_a_full_and_an_empty_report_obey_the_schema(tmp_path: Path, validator: Any) -> None:
    for report in (sample(tmp_path), empty()):
        validator.validate(json.loads(json_report(report)))


def test_the_schema_notices_what_is_wrong(tmp_path: Path, validator: Any) -> None:
    document = json.loads(json_report(sample(tmp_path)))
    for key, value in [("severity", "fatal"), ("line", 0), ("effects", []), ("rule", "X1"), ("extra", 1)]:
        broken = json.loads(json.dumps(document))
        broken["findings"][0][key] = value
        assert not validator.is_valid(broken), key
    del document["findings"][0]["fingerprint"]
    assert not validator.is_valid(document)


def test_a_finding_holds_what_the_model_holds(tmp_path: Path) -> None:
    document = json.loads(json_report(sample(tmp_path)))
    first = document["findings"][0]
    path = (tmp_path / "model.py").as_posix()
    assert {key: first[key] for key in ("rule", "name", "effect", "effects", "severity", "confidence", "function")} == {
        "rule": "CL101",
        "name": "branch-on-tensor",
        "effect": "graph-break",
        "effects": ["graph-break"],
        "severity": "error",
        "confidence": "certain",
        "function": "f",
    }
    assert [first[key] for key in ("path", "line", "column", "end_line", "end_column")] == [path, 3, 8, 3, 9]
    assert first["call_chain"] == [{"path": path, "line": 4, "function": "Net.forward"}]
    assert first["related"][0]["text"] == "result of `>`"
    assert first["fix"]["edits"][0] == {"line": 3, "column": 5, "end_line": 4, "end_column": 18, "text": "x = ..."}
    assert document["torch"] == {"target": "2.13.0", "source": "--torch-version"}
    assert document["summary"] == {
        "files_checked": 3,
        "findings": 2,
        "by_severity": {"error": 1, "warning": 1, "note": 0},
        "by_rule": {"CL101": 1, "CL102": 1},
        "suppressed": 1,
        "hidden": 2,
        "min_confidence": "likely",
    }


def test_text_that_is_no_unicode_does_not_spoil_the_report(tmp_path: Path) -> None:
    report = sample(tmp_path)
    odd = replace(report.findings[0], location=Location("/p/\udcff.py", Span(1, 1, 1, 2)), line_text="\ud800")
    document = json.loads(json_report(replace(report, findings=(odd,))))
    assert document["findings"][0]["path"] == "/p/\udcff.py"


def marks(report: Report, *findings: Finding) -> list[str]:
    return fingerprints(replace(report, findings=findings))


def test_a_fingerprint_outlives_moves_and_reindentation_but_not_another_text(tmp_path: Path) -> None:
    report = sample(tmp_path)
    finding = report.findings[0]
    (mark,) = marks(report, finding)
    moved = replace(finding, location=Location(finding.location.path, Span(90, 2, 90, 3)), line_text="\tif   y:")
    elsewhere = replace(finding, location=Location(f"{report.base}/other.py", finding.location.span))
    assert marks(report, moved) == [mark]
    for other in (
        replace(finding, line_text="if z:"),
        replace(finding, function="g"),
        replace(finding, rule=report.findings[1].rule),
        elsewhere,
    ):
        assert marks(report, other) != [mark]


def test_equal_lines_are_distinguished_by_their_order(tmp_path: Path) -> None:
    report = sample(tmp_path)
    first, second = marks(report, report.findings[0], report.findings[0])
    assert first != second
    assert marks(report, report.findings[0]) == [first]


def test_a_fingerprint_does_not_depend_on_where_the_project_lies(tmp_path: Path) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    one.mkdir()
    two.mkdir()
    assert fingerprints(sample(one)) == fingerprints(sample(two))
