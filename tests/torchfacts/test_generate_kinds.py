"""The shipped table of kinds against the installed torch, a sample measured again; and how programs are made."""

from __future__ import annotations

from pathlib import Path

import pytest

from compilelint.torchfacts import store
from compilelint.torchfacts.generate.kinds import command, measure, programs
from compilelint.torchfacts.kinds import OUTSIDE, file_of

_EVERY = 40  # kinds; four are measured


@pytest.mark.slow
@pytest.mark.dynamo
def test_a_sample_of_the_shipped_kinds_is_what_torch_does(capsys: pytest.CaptureFixture[str]) -> None:
    assert command.main(["--check", "--every", str(_EVERY)]) == 0, capsys.readouterr().out


def test_a_difference_is_named_and_fails(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Planted: results on the way that say that the length of an array is traced."""
    work = tmp_path / "kinds.jsonl"
    work.write_text('["array.array", {"inside": {}, "outside": {"len": "ok"}}]\n["array.array|members", {}]\n')
    assert command.main(["--check", "--work", str(work), "array.array"]) == 1
    assert "array.array outside len: shipped GB6012, measured ok" in capsys.readouterr().out.splitlines()


def test_a_part_is_not_installed() -> None:
    before = (store.DATA / file_of("2.13.0")).read_bytes()
    with pytest.raises(SystemExit):
        command.main(["--install", "--every", str(_EVERY)])
    assert (store.DATA / file_of("2.13.0")).read_bytes() == before


def test_a_program_makes_its_object_inside_or_is_given_it() -> None:
    inside, none = programs.program("list", "inside", "y = len(v)")
    outside, given = programs.program("list", "outside", "v.extend(w)")
    assert (inside.__code__.co_varnames, len(none)) == (("x", "v", "y"), 1)
    assert (outside.__code__.co_varnames, given[1:]) == (("x", "v", "w"), [[1, 2], [1, 2]])


def test_methods_are_tried_until_arguments_fit() -> None:
    assert programs.candidates(".typecode") == ["r = v.typecode"]
    tried = programs.candidates(".append()")
    assert tried[:2] == ["r = v.append()", "r = v.append(1)"]


def test_every_kind_can_be_made_and_has_a_name_without_blanks() -> None:
    for kind in programs.objects():
        assert " " not in kind
        assert " " not in "".join(programs.operations())
        programs.made(kind)


@pytest.mark.dynamo
@pytest.mark.parametrize(
    ("kind", "origin", "name", "outcome"),
    [
        ("list", "inside", "len", "ok"),
        ("array.array", "inside", "make", "GB0147"),
        ("array.array", OUTSIDE, "len", "GB6012"),
        ("array.array", OUTSIDE, "if", "skip:GB6012"),
        ("array.array", OUTSIDE, "hash", "-"),
        ("decimal.Decimal", OUTSIDE, "int", "fails"),
    ],
)
def test_an_outcome(kind: str, origin: programs.Origin, name: str, outcome: str) -> None:
    statement = programs.operations()[name]
    found = measure.settled(lambda: programs.program(kind, origin, statement), name, statement, {})
    assert found == outcome
