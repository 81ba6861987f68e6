"""A fix as the lines it changes."""

from __future__ import annotations

from pathlib import Path

import pytest

from compilelint.model import Edit, Fix, Location, Safety, Span
from compilelint.report.layout.patches import changed_lines


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_a_fix_of_several_edits_is_shown_by_lines() -> None:
    text = {1: "a = x.item()", 2: "b = 1", 3: "if a:", 4: "    c()", 5: "d = a"}
    edits = (Edit(Span(1, 5, 1, 13), "x"), Edit(Span(3, 1, 4, 8), "e()\nf()"), Edit(Span(5, 1, 5, 6), ""))
    fix = Fix(Safety.SAFE, "t", edits)
    found = changed_lines(fix, Location("/p/m.py", Span(1, 1, 1, 2)), lambda place, number: text[number])
    assert [(line.number, line.removed, line.text) for line in found] == [
        (1, True, "a = x.item()"),
        (1, False, "a = x"),
        (3, True, "if a:"),
        (4, True, "    c()"),
        (5, True, "d = a"),
        (3, False, "e()"),
        (4, False, "f()"),
    ]


def test_lines_of_another_file_follow_and_name_it() -> None:
    text = {"/p/m.py": "a = 1", "/p/n.py": "b = f(a)"}
    edits = (Edit(Span(1, 5, 1, 6), "g", "/p/n.py"), Edit(Span(1, 5, 1, 6), "2"))
    fix = Fix(Safety.SAFE, "t", edits)
    found = changed_lines(fix, Location("/p/m.py", Span(1, 1, 1, 2)), lambda place, number: text[place.path])
    assert [(line.path, line.removed, line.text) for line in found] == [
        ("", True, "a = 1"),
        ("", False, "a = 2"),
        ("/p/n.py", True, "b = f(a)"),
        ("/p/n.py", False, "b = g(a)"),
    ]
