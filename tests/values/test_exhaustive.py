"""No kind of value is forgotten: mypy checks the functions, these tests the samples and the refusal."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any, get_args

import pytest

from compilelint.values import PLAIN, Value, resumed, unhandled
from tests.support.samples import SAMPLES

KINDS = frozenset(get_args(Value))


def test_there_is_a_sample_of_every_kind() -> None:
    """So that the laws of the lattice are tested over all kinds."""
    assert {type(value) for value in SAMPLES.values()} == KINDS


def test_a_kind_that_no_case_names_is_refused() -> None:
    stranger: Any = object()
    with pytest.raises(AssertionError, match="no case for a value of kind object"):
        unhandled(stranger)


def test_resuming_has_a_case_for_every_kind() -> None:
    for value in SAMPLES.values():
        assert isinstance(resumed(value), type(value))
    assert PLAIN <= KINDS


FORGETFUL = """
from compilelint.values import Bottom, Const, Unknown, unhandled

def size(value: Unknown | Bottom | Const) -> int:
    if isinstance(value, Unknown):
        return 0
    if isinstance(value, {named}):
        return 1
    return unhandled(value)
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("named", "code"),
    [pytest.param("Const", 1, id="a kind is forgotten"), pytest.param("(Const, Bottom)", 0, id="all are named")],
)
def test_mypy_reports_a_kind_that_is_forgotten(named: str, code: int, tmp_path: Path) -> None:
    program = tmp_path / "forgetful.py"
    program.write_text(FORGETFUL.format(named=named), encoding="utf-8")
    command = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(tmp_path / "cache"), str(program)]
    run = subprocess.run(command, capture_output=True, text=True, check=False, cwd=Path(__file__).parents[2])
    assert run.returncode == code, run.stdout
    assert ("Bottom" in run.stdout) is bool(code)
