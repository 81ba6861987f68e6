"""Which lines of a file run many times."""

from __future__ import annotations

import pytest

from compilelint.report.overview.blocks import parsed
from compilelint.report.overview.loops import loops_of


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
    assert loops_of(parsed(text)) == loops
