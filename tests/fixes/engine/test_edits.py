"""Fixes of several files go in together or not at all."""

from __future__ import annotations

import pytest

from compilelint.fixes.engine.edits import Placed, connected, rewritten, rewritten_files
from compilelint.model import Edit, Fix, Safety, Span
from compilelint.syntax.source import Source

SOURCES = {path: Source(path, "a = 1\nb = 2\n", ascii=True) for path in ("/p/m.py", "/p/n.py", "/p/o.py")}


def _fix(*edits: Edit) -> Fix:
    return Fix(Safety.UNSAFE, "t", edits)


def _line(number: int, text: str, path: str = "") -> Edit:
    return Edit(Span(number, 1, number, 6), text, path)


BOTH = Placed("/p/m.py", _fix(_line(1, "a = 3"), _line(2, "b = 4", "/p/n.py")))


def test_a_fix_is_in_all_its_files() -> None:
    made = rewritten_files([BOTH], SOURCES)
    assert made.texts == {"/p/m.py": "a = 3\nb = 2\n", "/p/n.py": "a = 1\nb = 4\n"}
    assert (made.applied, made.waiting) == ((BOTH,), ())


def test_fixes_that_touch_the_same_characters_of_any_file_wait() -> None:
    other = Placed("/p/n.py", _fix(_line(2, "b = 5"), _line(1, "a = 6", "/p/o.py")))
    made = rewritten_files([BOTH, other], SOURCES)
    assert (made.applied, made.waiting) == ((BOTH,), (other,))
    assert "/p/o.py" not in made.texts


def test_the_same_insertion_goes_in_once_however_its_file_is_named() -> None:
    brought = Edit(Span(1, 1, 1, 1), "import torch\n")
    own = Placed("/p/n.py", _fix(brought))
    beside = Placed("/p/m.py", _fix(_line(1, "a = 3"), Edit(brought.span, brought.text, "/p/n.py")))
    made = rewritten_files([own, beside], SOURCES)
    assert made.texts["/p/n.py"] == "import torch\na = 1\nb = 2\n"
    assert made.applied == (own, beside)


def test_a_file_that_cannot_be_read_keeps_the_fix_out_of_the_others() -> None:
    made = rewritten_files([BOTH], {"/p/m.py": SOURCES["/p/m.py"]})
    assert (made.texts, made.applied, made.waiting) == ({}, (), (BOTH,))


def test_a_text_that_does_not_parse_keeps_its_fixes_out_of_their_other_files() -> None:
    alone = Placed("/p/o.py", _fix(_line(1, "a = 7")))
    made = rewritten_files([BOTH, alone], SOURCES, lambda path, text: path != "/p/n.py")
    assert made.texts == {"/p/o.py": "a = 7\nb = 2\n"}
    assert (made.applied, made.waiting) == ((alone,), (BOTH,))


def test_one_text_never_holds_half_of_a_fix() -> None:
    own = _fix(_line(2, "b = 9"))
    made = rewritten(SOURCES["/p/m.py"], [BOTH.fix, own])
    assert (made.text, made.applied, made.waiting) == ("a = 1\nb = 9\n", (own,), (BOTH.fix,))


@pytest.mark.parametrize(
    ("pairs", "wanted"),
    [
        pytest.param("mn", ["mn"], id="one fix of two files"),
        pytest.param("mn no", ["mno"], id="tied through a third"),
        pytest.param("m n", ["m", "n"], id="each its own"),
    ],
)
def test_files_that_fixes_tie_together(pairs: str, wanted: list[str]) -> None:
    placed = [Placed("/p/m.py", _fix(*(_line(1, "", f"/p/{name}.py") for name in one))) for one in pairs.split()]
    assert sorted("".join(sorted(path[3] for path in group)) for group in connected(placed)) == wanted
