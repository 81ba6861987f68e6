"""What is said of CUDA graphs, held against the recorded programs: it may rise and not fall."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from benchmarks.cudagraphs.__main__ import FOLDER, cases
from benchmarks.cudagraphs.cases import Case
from benchmarks.cudagraphs.roots import class_and_method, lines_of
from benchmarks.cudagraphs.scripts import findings


@pytest.fixture(scope="module")
def judged() -> list[Case]:
    """All programs with a label."""
    return cases(FOLDER / "programs", FOLDER / "labels-programs.jsonl")


@pytest.fixture(scope="module")
def unseen() -> list[Case]:
    """Those that were written without knowledge of the rules."""
    return cases(FOLDER / "unseen", FOLDER / "labels-unseen.jsonl")


def test_hostile_programs_are_found(judged: list[Case]) -> None:
    assert sum(bool(case.findings) for case in judged if case.label == "hostile") >= 78


def test_clean_programs_are_left_alone(judged: list[Case]) -> None:
    assert sum(bool(case.findings) for case in judged if case.label == "clean") <= 1


def test_every_label_has_its_program(judged: list[Case]) -> None:
    assert len(judged) == 325
    assert all(case.first < case.last for case in judged)


def test_programs_that_were_written_without_the_rules(unseen: list[Case]) -> None:
    assert len(unseen) == 128
    assert sum(bool(case.findings) for case in unseen if case.label == "hostile") >= 30
    assert sum(bool(case.findings) for case in unseen if case.label == "clean") <= 1


@pytest.mark.parametrize(("name", "number", "found"), [("later", 102, 36), ("fresh", 52, 21)])
def test_programs_that_were_replayed_without_a_device(name: str, number: int, found: int) -> None:
    replayed = cases(FOLDER / name, FOLDER / f"labels-{name}.jsonl")
    assert len(replayed) == number
    assert sum(bool(case.findings) for case in replayed if case.label == "hostile") >= found
    assert sum(bool(case.findings) for case in replayed if case.label == "clean") <= 1


def test_the_caller_in_the_text() -> None:
    called = cases(FOLDER / "unseen", FOLDER / "labels-unseen.jsonl", caller=True)
    assert len(called) == 128
    assert sum(bool(case.findings) for case in called if case.label == "hostile") >= 30
    assert sum(bool(case.findings) for case in called if case.label == "clean") == 0


@pytest.mark.parametrize(
    ("case", "root"),
    [
        ("bert/BertModel/eval", ("BertModel", "forward")),
        ("AutoencoderDC/eval", ("AutoencoderDC", "forward")),
        ("aria/AriaModel/eval/pixels", ("AriaModel", "forward")),
        ("DDIMScheduler.step", ("DDIMScheduler", "step")),
    ],
)
def test_a_label_of_a_model_names_the_root_that_was_run(case: str, root: tuple[str, str]) -> None:
    assert class_and_method(case) == root


def test_lines_that_ran_come_from_recordings_packed_or_not(tmp_path: Path) -> None:
    rows = [{"case": case, "traced_lines": {"a.py": [line]}} for case, line in (("one", 1), ("two", 2))]
    plain, packed = tmp_path / "one.jsonl", tmp_path / "two.jsonl.gz"
    plain.write_text(json.dumps(rows[0]) + "\n", encoding="utf-8")
    packed.write_bytes(gzip.compress(json.dumps(rows[1]).encode()))
    assert lines_of([plain, packed]) == {"one": {"a.py": [1]}, "two": {"a.py": [2]}}


def test_scripts_as_users_write_them() -> None:
    """Of a set that was recorded after the first lint; the bars hold over both halves."""
    said = findings(FOLDER / "scripts_second")
    rows = [json.loads(line) for line in (FOLDER / "labels-scripts-second.jsonl").read_text().splitlines()]
    assert sum(bool(said[row["case"]]) for row in rows if row["label"] == "hostile") >= 46
    assert not [row["case"] for row in rows if row["label"] == "clean" and said[row["case"]]]
