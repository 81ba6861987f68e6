"""Which lines of a file run many times."""

from __future__ import annotations

from pathlib import Path

import pytest

from compilelint.model import CallSite, Location, Span
from compilelint.report.layout.quoted import Lines
from compilelint.report.overview.loops import in_loops, loops_of
from tests.report.overview.samples import BREAK, finding, report


@pytest.mark.parametrize(
    ("text", "loops"),
    [
        ("for x in y:\n    a\n    b\nc\n", ((2, 3),)),
        ("while x:\n    a\nelse:\n    b\n", ((2, 2),)),
        ("async def f():\n    async for x in y:\n        a\n", ((3, 3),)),
        ("[x for x in y]\nif a:\n    b\n", ()),
        ("for x in\n", ()),
        ("x = " + "(" * 400 + ")" * 400, ()),
    ],
    ids=["for", "the else of a loop runs once", "async", "no loop", "no Python", "too deep"],
)
def test_the_bodies_of_loops(text: str, loops: tuple[tuple[int, int], ...]) -> None:
    assert loops_of(text) == loops


def test_a_finding_repeats_where_it_or_a_call_on_the_way_stands_in_a_loop(tmp_path: Path) -> None:
    path = tmp_path / "m.py"
    path.write_text("def f(x):\n    for b in x:\n        g(b)\n\n\ndef g(b):\n    return b\n", encoding="utf-8")
    name = path.as_posix()

    def at(line: int) -> Location:
        return Location(name, Span(line, 1, line, 2))

    plain = finding(BREAK, 7, path=name)
    through = finding(BREAK, 7, path=name, call_chain=(CallSite(at(3), "f"),))
    inside, head = finding(BREAK, 3, path=name), finding(BREAK, 2, path=name)
    repeats = in_loops(Lines(report((plain, inside, head))))
    assert [repeats(one) for one in (plain, through, inside, head)] == [False, True, True, False]
