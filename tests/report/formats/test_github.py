"""GitHub's annotations: order, counts, and places within the repository."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from compilelint.model import Confidence, Effect, Span
from compilelint.report.formats.github import render as github
from compilelint.report.report import Report
from tests.report.overview import samples as made
from tests.report.samples import sample


def three(folder: Path) -> Report:
    """A note, a warning and an error, in this order."""
    report = sample(folder)
    branch, read = report.findings
    return replace(report, findings=(replace(read, confidence=Confidence.POSSIBLE), read, branch))


def test_annotations_come_worst_first_and_are_ten_at_most(tmp_path: Path) -> None:
    lines = github(three(tmp_path)).splitlines()
    assert [line.split(" ", 1)[0] for line in lines] == ["::error", "::warning", "::notice", *["compilelint:"] * 3]
    assert "annotations" not in lines[-3]
    crowd = github(replace(three(tmp_path), findings=three(tmp_path).findings * 11)).splitlines()
    assert [line.split(" ", 1)[0] for line in crowd[:10]] == ["::error"] * 10
    assert (crowd[10], crowd[34]) == ("::group::compilelint: 23 more findings", "::endgroup::")
    assert crowd[11] == "compilelint: model.py:3:8: error[CL101] `if` needs the data of `y`"
    assert crowd[35] == (
        "compilelint: 11 errors, 11 warnings, 11 notes in 3 files; the first 10 are annotations, the other 23 are above"
    )


def test_the_ten_warnings_that_github_shows_are_the_worst_of_them(tmp_path: Path) -> None:
    report = sample(tmp_path)
    _, read = report.findings
    syncs = [
        replace(read, effects=(Effect.SYNC,), confidence=Confidence.CERTAIN, location=replace(read.location, span=at))
        for at in (Span(line, 1, line, 2) for line in range(10, 22))
    ]
    likely = replace(read, confidence=Confidence.LIKELY, location=replace(read.location, span=Span(90, 1, 90, 2)))
    wrong = replace(likely, effects=(Effect.WRONG_RESULT,), location=replace(read.location, span=Span(91, 1, 91, 2)))
    lines = github(replace(report, findings=(*syncs, likely, wrong))).splitlines()
    warnings = [line for line in lines if line.startswith("::warning ")]
    shown = [line.partition("line=")[2].partition(",")[0] for line in warnings[:10]]
    assert shown == ["91", "90", *map(str, range(10, 18))], "a wrong result, a graph break, then what only costs time"
    assert len(warnings) == 10


def test_what_the_first_screen_names_first_is_annotated_first() -> None:
    guessed = tuple(made.finding(made.BREAK, line, "helper") for line in range(1, 13))
    compiled = made.finding(made.BREAK, 90)
    roots = (made.root("helper", kind="unreached"), made.root(compiled_at=95))
    first = github(made.report((*guessed, compiled), roots)).splitlines()[0]
    assert "line=90," in first, "the only one in compiled code, whatever comes before it in the file"


def test_an_annotation_names_the_place_within_the_repository(tmp_path: Path) -> None:
    first = github(sample(tmp_path)).splitlines()[0]
    assert first.startswith("::error file=model.py,line=3,endLine=3,title=CL101 branch-on-tensor,col=8,endColumn=9::")
