"""`interp.text.asked_attributes`: which class a parameter without annotation is an object of."""

from __future__ import annotations

import pytest

from compilelint.interp.text.asked_attributes import class_meant
from compilelint.project.roots import functions_of
from tests.support.reveal import program_of, sources

BEAM = """
class Beam:
    def __init__(self, s):
        self.scores = s
        self.alive = s > 0
    def sort(self):
        pass
"""
OTHER = "class Other:\n    def __init__(self, s):\n        self.scores = self.alive = s\n"
BELOW = "class Below(Beam):\n    pass\n"
USES = "def f(beam):\n    {body}return beam.scores[beam.alive]\n"


def meant(text: str) -> str | None:
    """The class that `beam` of `f` is taken for."""
    program, (module,) = program_of(sources(text))
    code = next(one for one in functions_of(program, module) if one.node.name == "f")
    found = class_meant(code, "beam", program)
    return None if found is None else found.node.name


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(BEAM + USES.format(body=""), id="the only class with both"),
        pytest.param(BEAM + BELOW + USES.format(body=""), id="a class below it has them from it"),
        pytest.param(BEAM + USES.format(body="beam.sort()\n    "), id="a method is one of them"),
    ],
)
def test_the_class_that_has_what_is_asked(text: str) -> None:
    assert meant(text) == "Beam"


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(BEAM + OTHER + USES.format(body=""), id="two classes have both"),
        pytest.param(BEAM + USES.format(body="beam.width()\n    "), id="one is missing"),
        pytest.param(BEAM + USES.format(body="beam = beam[0]\n    "), id="it is bound again"),
        pytest.param(
            BEAM + "def f(beam: dict):\n    return beam.scores[beam.alive]\n", id="an annotation says another"
        ),
        pytest.param(BEAM + "def f(beam):\n    return beam.scores\n", id="one attribute many classes have"),
        pytest.param(
            "class A:\n    def one(self): ...\n    def two(self): ...\ndef f(beam):\n    return beam.one(beam.two())\n",
            id="methods alone: anything may have them",
        ),
    ],
)
def test_what_says_no_class(text: str) -> None:
    assert meant(text) is None
