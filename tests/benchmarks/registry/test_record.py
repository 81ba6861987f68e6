"""What the recorder says of programs under the real Dynamo."""

from __future__ import annotations

import importlib
from pathlib import Path
from types import ModuleType

import pytest

pytestmark = pytest.mark.dynamo

PROGRAM = """\
import torch


def x3():
    return torch.randn(3)


def scaled(x):
    return x * x.max().item()


def make_scaled():
    return scaled, [((x3(),), {})]


def doubled(x):
    return x * 2


def make_doubled():
    return doubled, [((x3(),), {})]


def tried(x):
    try:
        return x + torch.randn(4)
    except RuntimeError:
        return (
            x
        )


def make_tried():
    return tried, [((x3(),), {})]


def rows(x):
    yield x * 2


def make_rows():
    return rows, [((x3(),), {})]


def make_wrong():
    return doubled, [((None,), {})]
"""


@pytest.fixture
def record() -> ModuleType:
    """It imports torch, which no test does that is not marked `dynamo`."""
    return importlib.import_module("benchmarks.registry.record")


@pytest.fixture
def program(tmp_path: Path) -> Path:
    path = tmp_path / "three_values.py"
    path.write_text(PROGRAM, encoding="utf-8")
    return path


def test_the_cases_of_a_file_are_named_without_running_it(record: ModuleType, program: Path) -> None:
    assert record.names_of(program) == ["scaled", "doubled", "tried", "rows", "wrong"]


def test_a_break_is_charged_to_its_line(record: ModuleType, program: Path) -> None:
    row = record.record(program, "scaled")
    assert row["label"] == "break"
    (found,) = row["breaks"]
    assert (found["file"], found["line"], found["span"]) == ("three_values.py", 9, [9, 9])
    assert (found["gb"], found["kind"], found["secondary"]) == ("GB0124", "break", None)
    assert row["traced_lines"] == {"three_values.py": [8, 9]}


def test_a_program_that_compiles_is_clean(record: ModuleType, program: Path) -> None:
    row = record.record(program, "doubled")
    assert (row["label"], row["breaks"], row["graphs"]) == ("clean", [], 1)


def test_a_compilation_that_fails_is_no_break(record: ModuleType, program: Path) -> None:
    """Without compilation the handler catches what the operator raises."""
    row = record.record(program, "tried")
    assert row["label"] == "error"
    assert [(one["line"], one["kind"], one["secondary"]) for one in row["breaks"]] == [(26, "error", "error")]
    assert "eager" not in row


def test_what_is_refused_before_it_is_compiled_is_a_break(record: ModuleType, program: Path) -> None:
    row = record.record(program, "rows")
    assert [(one["gb"], one["kind"]) for one in row["breaks"]] == [("GB0003", "skip_frame")]


def test_a_program_that_does_not_run_is_said_so(record: ModuleType, program: Path) -> None:
    row = record.record(program, "wrong")
    assert row["label"] == "invalid"
    assert row["error"].startswith("without compilation: TypeError")
