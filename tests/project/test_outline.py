"""Files in units: what a unit says, where it stands, and which edits leave it the same."""

from __future__ import annotations

import pytest

from compilelint.project.loader import load_source
from compilelint.project.outline import NOTHING, PLAIN, STARS, STATEMENTS, WHOLE, Outline, outline_of, read, written
from compilelint.syntax import ir
from compilelint.syntax.source import Source

TEXT = """\
import os
from torch import nn, fx

LIMIT = 3


def plain(x):
    return x


class Net(nn.Module):
    '''A net.'''

    width = 2

    def __init__(self):
        self.layer = nn.Linear(2, 2)

    @torch.no_grad()
    def forward(self, x):
        '''Of x.'''
        return self.layer(x)


if LIMIT:
    def late(x):
        return x
"""


def outline(text: str) -> Outline:
    module = load_source(Source("/m.py", text), "m", False)
    assert isinstance(module, ir.Module)
    return outline_of(module, text)


def changed(text: str) -> set[str]:
    before, after = outline(TEXT), outline(text)
    keys = {*before, *after} - {WHOLE}
    return {key for key in keys if before.get(key, NOTHING).digest != after.get(key, NOTHING).digest}


def test_units_of_a_file() -> None:
    names = {".os", ".nn", ".fx", ".LIMIT", ".plain", ".Net", ".late"}
    bodies = {"plain:0", "Net:0.__init__:0", "Net:0.forward:0"}
    assert set(outline(TEXT)) == names | bodies | {STARS, STATEMENTS, PLAIN, WHOLE}


def test_where_they_stand() -> None:
    units = outline(TEXT)
    assert units[".plain"].lines == ((7, 7),)
    assert units["plain:0"].lines == ((8, 8),)
    assert units[".Net"].lines == ((11, 13), (14, 14), (16, 16), (19, 21))
    assert units["Net:0.forward:0"].lines == ((22, 22),)
    assert units[".nn"].lines == (), "what an import binds is a name, and no place"


@pytest.mark.parametrize(
    ("before", "after", "units"),
    [
        pytest.param("import os\n", "import os\n# a line\n\n", set(), id="lines put in"),
        pytest.param("    return x\n\n\nclass", "    return -x\n\n\nclass", {"plain:0"}, id="body of a function"),
        pytest.param("self.layer(x)", "self.layer(-x)", {"Net:0.forward:0"}, id="body of a method"),
        pytest.param("(self, x)", "(self, x=1)", {".Net", STATEMENTS}, id="header of a method"),
        pytest.param("@torch.no_grad()", "@torch.enable_grad()", {".Net", STATEMENTS}, id="decorator"),
        pytest.param("width = 2", "width = 3", {".Net", STATEMENTS}, id="attribute of a class"),
        pytest.param("nn.Module", "nn.ReLU", {".Net", STATEMENTS}, id="base"),
        pytest.param(", fx", "", {".fx", STATEMENTS}, id="one of the names of an import"),
        pytest.param("LIMIT = 3", "LIMIT = 4", {".LIMIT", STATEMENTS, PLAIN}, id="constant"),
        pytest.param("        return x\n", "        return -x\n", {".late", STATEMENTS, PLAIN}, id="in a block"),
        pytest.param("import os", "import os\nfrom sys import *", {STARS, STATEMENTS}, id="star"),
        pytest.param(
            "self.layer = nn",
            "self.other = nn",
            {".Net", "Net:0.__init__:0", STATEMENTS},
            id="what a body stores is said by the header",
        ),
        pytest.param(
            "\n\nclass Net", "\n\ndef new(x):\n    pass\n\n\nclass Net", {".new", "new:0", STATEMENTS}, id="function"
        ),
    ],
)
def test_what_an_edit_changes(before: str, after: str, units: set[str]) -> None:
    assert before in TEXT
    assert changed(TEXT.replace(before, after, 1) if before.strip(" ") != "return x\n" else _in_block(after)) == units


def _in_block(after: str) -> str:
    head, _, tail = TEXT.rpartition("        return x\n")
    return head + after + tail


def test_functions_of_one_name_are_numbered() -> None:
    units = outline("def f():\n    return 1\n\n\ndef f():\n    return 2\n")
    assert units["f:0"].digest != units["f:1"].digest
    assert units[".f"].lines == ((1, 1), (5, 5))


def test_written_and_read() -> None:
    units = outline(TEXT)
    assert read(written(units)) == units
