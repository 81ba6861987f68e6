"""The strips of a function: what a graph holds, where it ends, what is left to Python."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

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


def test_what_fails_while_compiling_is_no_end_of_a_graph(tmp_path: Path) -> None:
    """Two findings beside a break: an error on a device, and a compilation that raises. Neither is counted or drawn."""
    report = sample(tmp_path)
    first = replace(report.findings[0], call_chain=(), roots=("f",), effects=(Effect.GRAPH_BREAK,))
    path = first.location.path
    effects = ((Effect.ERROR,), (Effect.GRAPH_BREAK,), (Effect.ERROR, Effect.GRAPH_BREAK))
    findings = tuple(
        replace(first, location=Location(path, Span(line, 5, line, 9)), effects=effect)
        for line, effect in zip((2, 3, 4), effects, strict=True)
    )
    root = CompileRoot("f", Location(path, Span(1, 1, 1, 2)), None, graphs=2)
    (strip,) = expected(replace(report, roots=(root,), findings=findings), _line)
    found = [(one.kind, one.lines, one.part) for one in strip.stretches]
    assert found == [("graph", (1, 2), 1), ("break", (3,), 0), ("graph", (4, 5, 6, 7), 2)]


@pytest.mark.parametrize(
    ("fewest", "again", "words"),
    [(None, False, ""), (3, False, ""), (1, False, "1 to 3 graphs"), (3, True, "3 graphs or more")],
)
def test_how_many_graphs_a_call_comes_to_where_that_varies(
    tmp_path: Path, fewest: int | None, again: bool, words: str
) -> None:
    report = sample(tmp_path)
    first = replace(report.findings[0], call_chain=(), roots=("f",), effects=(Effect.GRAPH_BREAK,))
    here = Location(first.location.path, Span(1, 1, 1, 2))
    broken = replace(first, location=Location(here.path, Span(3, 5, 3, 9)))
    root = CompileRoot("f", here, None, graphs=3, fewest=fewest, again=again)
    (strip,) = expected(replace(report, roots=(root,), findings=(broken,)), _line)
    assert strip.varies == words
