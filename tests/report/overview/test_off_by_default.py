"""Switches that the source leaves off: parameters with the default False, and attributes that begin as False."""

from __future__ import annotations

import textwrap

import pytest

from compilelint.report.overview.blocks import parsed
from compilelint.report.overview.off_by_default import switched_off


def names(text: str) -> list[str]:
    return [name for _, _, name in switched_off(parsed(textwrap.dedent(text)))]


ATTRIBUTE = """
    class Net:
        def __init__(self):
            self.quantize = {first}

        def forward(self, x):
            if {test}:
                print(x)
            return x
"""


@pytest.mark.parametrize(
    "text",
    [
        "def f(x, probe=False):\n    if probe:\n        print(x)",
        "def f(x, *, probe=False):\n    if probe and x:\n        print(x)",
        "def f(x, probe=False):\n    if not probe:\n        pass\n    else:\n        print(x)",
        "def f(x, probe=False):\n    if probe:\n        print(x)\nf(1, probe=False)",
        ATTRIBUTE.format(first="False", test="self.quantize"),
    ],
)
def test_a_branch_that_needs_a_switch_is_off(text: str) -> None:
    assert len(names(text)) == 1


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("def f(x, probe=True):\n    if probe:\n        print(x)", id="on by default"),
        pytest.param("def f(x, probe=None):\n    if probe:\n        print(x)", id="None is what callers fill in"),
        pytest.param("def f(x, probe=False):\n    if not probe:\n        print(x)", id="runs while it is off"),
        pytest.param("def f(x, probe=False):\n    if probe or x:\n        print(x)", id="another reason to run"),
        pytest.param("def f(x, probe=False):\n    if probe:\n        print(x)\nf(1, probe=True)", id="a call sets it"),
        pytest.param(
            "def f(x, probe=False):\n    probe = x\n    if probe:\n        print(x)", id="the function sets it"
        ),
        pytest.param(ATTRIBUTE.format(first="None", test="self.quantize"), id="a cache comes later"),
        pytest.param(ATTRIBUTE.format(first="False", test="x.quantize"), id="of another object"),
        pytest.param("def f(:", id="no Python"),
    ],
)
def test_a_branch_that_runs_by_default_is_not(text: str) -> None:
    assert names(text) == []


def test_the_lines_are_those_of_the_branch() -> None:
    assert switched_off(parsed("def f(x, probe=False):\n    if probe:\n        a(x)\n        b(x)\n    c(x)")) == (
        (3, 4, "probe"),
    )
