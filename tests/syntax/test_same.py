"""What an edit leaves of an IR."""

from __future__ import annotations

import pytest

from compilelint.project.loader import load_source
from compilelint.syntax import ir
from compilelint.syntax.facts import fact
from compilelint.syntax.same import going_on, same
from compilelint.syntax.source import Source, source_from_bytes

TEXT = '''class C:
    def one(self, x):
        """Say."""
        return x + 1

    def two(self, y):
        return y
'''


def lowered(text: str) -> ir.Module:
    source = source_from_bytes("/m.py", text.encode())
    assert isinstance(source, Source)
    module = load_source(source, "m", False)
    assert isinstance(module, ir.Module)
    return module


@pytest.mark.parametrize(
    ("edited", "is_same"),
    [
        (TEXT.replace("Say", "Report"), True),
        (TEXT.replace("return y", "return y  # all"), True),
        (TEXT + "\n\n", True),
        (TEXT.replace("x + 1", "x + 2"), False),
        (TEXT.replace("x + 1", "x + 1.0"), False),
        (TEXT.replace("x + 1", "x  + 1"), False),
        ("\n" + TEXT, False),
        (TEXT + "z = 1\n", False),
    ],
)
def test_only_what_is_no_code_leaves_it_the_same(edited: str, is_same: bool) -> None:
    before, after = lowered(TEXT), lowered(edited)
    assert same(before, after) is is_same
    assert (going_on(before, after) is before) is is_same


def test_functions_that_an_edit_leaves_are_the_very_ones() -> None:
    before = lowered(TEXT)
    after = going_on(before, lowered(TEXT.replace("return y", "return -y")))
    (old,), (new,) = before.body, after.body
    assert isinstance(old, ir.Class)
    assert isinstance(new, ir.Class)
    assert new.body[0] is old.body[0]
    assert new.body[1] is not old.body[1]


def test_a_fact_is_read_once() -> None:
    asked = []

    def read(module: ir.Module) -> int:
        asked.append(module)
        return len(module.body)

    module = lowered(TEXT)
    assert [fact(module, read), fact(module, read), len(asked)] == [1, 1, 1]
