"""Code frames: underlines stand under what they mean, whatever the line is made of."""

from __future__ import annotations

import pytest
from rich.cells import cell_len

from compilelint.model import Confidence, Effect, Finding, Location, Related, Rule, Span
from compilelint.report.layout.frames import Mark, Row, fitted, frames, underlined
from compilelint.report.layout.text import escaped

RULE = Rule("CL101", "branch-on-tensor", "the branch depends on tensor data", Effect.GRAPH_BREAK)


def finding(span: Span, *related: Related) -> Finding:
    place = Location("/p/m.py", span)
    return Finding(RULE, "m", RULE.effects, Confidence.CERTAIN, place, related=related)


def marked(line: str, span: Span) -> str:
    """What the primary underline of a one-line frame stands under, cut out of the shown line by cells."""
    ((row,),) = [frame.rows for frame in frames(finding(span), lambda place, number: line)]
    (mark,) = row.marks
    cells = [character for character in row.text for _ in range(cell_len(character))]
    return "".join(cells[mark.start : mark.start + mark.width])


@pytest.mark.parametrize(
    ("line", "column", "end", "expected"),
    [
        pytest.param("if mask:", 4, 8, "mask", id="plain"),
        pytest.param("\tif mask:", 5, 9, "mask", id="tab before it"),
        pytest.param("\t\tf(a,\tb)", 5, 9, "a,    b", id="tab inside it"),
        pytest.param("x = '中文' if mask", 13, 17, "mask", id="wide characters before it"),
        pytest.param("x = 中文", 5, 7, "中中文文", id="wide characters inside it"),
        pytest.param("x = '\u202e' if m", 12, 13, "m", id="bidirectional character before it"),
        pytest.param("x = '\x1b[31m' + m", 15, 16, "m", id="escape sequence before it"),
    ],
)
def test_the_underline_stands_under_the_span(line: str, column: int, end: int, expected: str) -> None:
    assert marked(line, Span(1, column, 1, end)) == expected


def test_an_empty_span_is_still_marked() -> None:
    ((row,),) = [frame.rows for frame in frames(finding(Span(1, 4, 1, 4)), lambda place, number: "abc")]
    assert [(mark.start, mark.width) for mark in row.marks] == [(3, 1)]


def test_a_long_span_shows_three_lines_and_is_marked_on_its_first() -> None:
    text = {1: "    foo(", 2: "        a,", 3: "", 4: "        b,", 5: "    )"}
    (frame,) = frames(finding(Span(1, 5, 5, 6)), lambda place, number: text[number])
    assert [row.number for row in frame.rows] == [1, 2, 3]
    assert [[(mark.start, mark.width) for mark in row.marks] for row in frame.rows] == [[(4, 4)], [], []]


def test_related_places_of_the_file_join_the_frame_and_others_follow() -> None:
    near = Related(Location("/p/m.py", Span(2, 1, 2, 2)), "made here")
    far = Related(Location("/p/n.py", Span(7, 1, 7, 2)), "called here\x07")
    first, second = frames(finding(Span(5, 1, 5, 2), near, far), lambda place, number: f"line {number} of {place.path}")
    assert [row.number for row in first.rows] == [2, 0, 5]
    assert [mark.note for row in first.rows for mark in row.marks] == ["made here", ""]
    assert second.location.path == "/p/n.py"
    assert second.rows[0].marks[0].note == "called here\\x07"


def drawn(marks: list[Mark], room: int | None = None) -> list[str]:
    """The rows under a line as text."""
    rows = []
    for pieces in underlined(marks, room):
        line = ""
        for piece in pieces:
            line = line.ljust(piece.start) + piece.text
        rows.append(line)
    return rows


def test_marks_of_a_line_share_a_row_and_the_short_one_is_drawn_over_the_long() -> None:
    assert drawn([Mark(4, 12, True, ""), Mark(4, 7, False, "result of `.max`")]) == [
        "    -------^^^^^",
        "    |",
        "    result of `.max`",
    ]


def test_the_last_note_stands_behind_and_the_others_hang_below_the_leftmost_lowest() -> None:
    assert drawn([Mark(0, 1, False, "one"), Mark(4, 3, False, "two"), Mark(10, 2, True, "three")]) == [
        "-   ---   ^^ three",
        "|   |",
        "|   two",
        "one",
    ]


def test_a_note_without_room_hangs_below_and_is_drawn_in() -> None:
    assert drawn([Mark(10, 4, True, "a long note")], 20) == ["          ^^^^", "          |", "         a long note"]


def test_the_same_mark_with_two_notes_is_drawn_once() -> None:
    place = Location("/p/m.py", Span(5, 1, 5, 2))
    (frame,) = frames(
        finding(Span(5, 4, 5, 5), Related(place, "x"), Related(place, "y")), lambda place, number: "a = b"
    )
    assert [(mark.primary, mark.note) for mark in frame.rows[0].marks] == [(True, ""), (False, "x; y")]


@pytest.mark.parametrize(
    ("text", "marks", "shown", "places"),
    [
        pytest.param("0123456789", [(0, 3)], "0123456789", [(0, 3)], id="fits"),
        pytest.param("0123456789abc", [(0, 3)], "012345678…", [(0, 3)], id="cut at the right"),
        pytest.param("0123456789abcdef", [(12, 3)], "…789abcdef", [(6, 3)], id="cut at the left"),
        pytest.param("0123456789" * 3, [(12, 3)], "…78901234…", [(6, 3)], id="at both ends"),
        pytest.param("0123456789" * 3, [(12, 15)], "…90123456…", [(4, 6)], id="the mark itself is cut"),
        pytest.param("中中中中中中中中", [(12, 4)], "…中中中中", [(5, 4)], id="wide characters"),
        pytest.param("中中中中中中中中", [(10, 6)], "… 中中中中", [(4, 6)], id="half of a wide character"),
    ],
)
def test_long_lines_are_cut_around_what_is_marked(
    text: str, marks: list[tuple[int, int]], shown: str, places: list[tuple[int, int]]
) -> None:
    (row,) = fitted([Row(1, text, tuple(Mark(start, width, True, "") for start, width in marks))], 10)
    assert row.text == shown
    assert cell_len(row.text) <= 10
    assert [(mark.start, mark.width) for mark in row.marks] == places


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain", "plain"),
        ("a\nb", "a\\x0ab"),
        ("\u2066x\u2069", "\\u2066x\\u2069"),
        ("\U000e0041", "\\U000e0041"),
        ("\ud800", "\\ud800"),
        ("👩\u200d🔬 é 中", "👩\u200d🔬 é 中"),
    ],
)
def test_what_could_hide_or_reorder_is_escaped(text: str, shown: str) -> None:
    assert escaped(text) == shown
