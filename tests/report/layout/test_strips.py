"""The strips of a function: what a graph holds, where it ends, what is left to Python."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from compilelint.model import Effect, Location, Span
from compilelint.report.layout.strips import expected
from compilelint.report.report import CompileRoot
from tests.report.samples import sample

SOURCE = """\
def f(x):
    x = x.sin()
    print("now")
    x = x * 2
    for i in range(2):
        print(i)
    return x.exp()
"""


def _line(place: Location, number: int) -> str:
    lines = SOURCE.splitlines()
    return lines[number - 1] if number <= len(lines) else ""


def test_a_break_in_a_loop_leaves_the_piece_it_stands_in_to_python(tmp_path: Path) -> None:
    report = sample(tmp_path)
    first = replace(report.findings[0], call_chain=(), roots=("f",), effects=(Effect.GRAPH_BREAK,))
    path = first.location.path
    at = [Location(path, Span(line, 5, line, 9)) for line in (3, 6)]
    findings = (replace(first, location=at[0]), replace(first, location=at[1], skips_frame=True))
    root = CompileRoot("f", Location(path, Span(1, 1, 1, 2)), None)
    (strip,) = expected(replace(report, roots=(root,), findings=findings), _line)
    found = [(one.kind, one.lines, one.part) for one in strip.stretches]
    assert found == [
        ("graph", (1, 2), 1),
        ("break", (3,), 0),
        ("python", (4, 5), 0),
        ("break", (6,), 0),
        ("python", (7,), 0),
    ]


def test_lines_that_compute_nothing_are_no_graph(tmp_path: Path) -> None:
    report = sample(tmp_path)
    first = replace(report.findings[0], call_chain=(), roots=("f",), effects=(Effect.GRAPH_BREAK,))
    path = first.location.path
    findings = tuple([replace(first, location=Location(path, Span(line, 5, line, 9))) for line in (2, 4)])
    root = CompileRoot("f", Location(path, Span(1, 1, 1, 2)), None, captured=(4, 6))
    (strip,) = expected(replace(report, roots=(root,), findings=findings), _line)
    found = [(one.kind, one.lines, one.part) for one in strip.stretches]
    assert found == [
        ("nothing", (1,), 0),
        ("break", (2,), 0),
        ("graph", (3,), 1),  # what line 4 computes before it breaks
        ("break", (4,), 0),
        ("graph", (5, 6, 7), 2),
    ]


def test_an_error_on_a_device_is_no_end_of_a_graph(tmp_path: Path) -> None:
    report = sample(tmp_path)
    mismatch = replace(report.findings[0], roots=("f",), effects=(Effect.ERROR,))
    root = CompileRoot("f", Location(mismatch.location.path, Span(1, 1, 1, 2)), None)
    assert list(expected(replace(report, roots=(root,), findings=(mismatch,)), _line)) == []
