"""Findings in notebooks, across the formats: the cell, and the line of the file."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

from compilelint.model import Location, Span
from compilelint.report.formats.github import render as github
from compilelint.report.formats.gitlab import render as gitlab
from compilelint.report.formats.junit import render as junit
from compilelint.report.formats.markdown import render as markdown_report
from tests.report.samples import sample


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
