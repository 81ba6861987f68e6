"""Programs after public threads: their labels, what was judged of them, and what counts as helped by words."""

from __future__ import annotations

import json

import pytest

from benchmarks.help.__main__ import DEGREES, LABELS, PROGRAMS, Program, degree_by_words, edited, judged, programs
from benchmarks.reports.__main__ import labels_of
from benchmarks.reports.record import marks_of
from tests.checks.idioms.programs import programs as idioms

ALL = {program.name: program for program in programs()}


def test_labels_are_the_marks_of_the_programs() -> None:
    rows = labels_of(LABELS)
    assert {row["files"][0] for row in rows} == {f"{name}.py" for name in ALL}
    for row in rows:
        marks, _ = marks_of((PROGRAMS / row["files"][0]).read_text())
        assert {kind: {row["files"][0]: numbers} for kind, numbers in marks.items()} == row["lines"]
        assert row["kinds"], "a thread is about trouble"


def test_each_program_has_a_thread_an_answer_and_the_words_of_it() -> None:
    assert len(ALL) >= 40
    assert {program.half for program in ALL.values()} == {"read", "unread"}
    assert all(": " in program.answer and all(all(group) for group in program.words) for program in ALL.values())


def test_only_programs_are_judged_and_edited() -> None:
    known = judged()
    assert set(known) <= set(ALL)
    assert set(edited()) <= set(ALL)
    assert {row[when] for row in known.values() for when in ("first", "helped")} <= set(DEGREES)


@pytest.mark.parametrize(
    ("said", "degree"),
    [
        pytest.param(" = help: use a buffer\n      outside of it", "fully", id="a word of each group, over two lines"),
        pytest.param(" = help: use a buffer", "partly", id="a word of one group"),
        pytest.param(" = why: a buffer outside", "not", id="words that are no help"),
        pytest.param(" = fix: a Tensor, outside", "fully", id="the other word of a group, in a fix"),
    ],
)
def test_what_counts_as_helped(said: str, degree: str) -> None:
    program = Program("one", "", (("buffer", "tensor"), ("outside",)))
    assert degree_by_words(program, [said]) == degree


def test_words_of_two_findings_do_not_add_up() -> None:
    program = Program("one", "", (("buffer",), ("outside",)))
    assert degree_by_words(program, [" = help: a buffer", " = help: outside"]) == "partly"


@pytest.mark.parametrize("version", ["2.13", "2.15"])
def test_no_proposal_breaks_again_and_each_idiom_was_run(version: str) -> None:
    rows = [json.loads(line) for line in (PROGRAMS.parent / f"again-{version}.jsonl").read_text().splitlines()]
    assert [row for row in rows if row["breaks"] or row["error"]] == []
    assert {f"idiom {title}" for title in idioms()} <= {row["help"] for row in rows}, "python -m benchmarks.help.again"
