"""Import statements that are read off a text, and the modules of a project that they name."""

from __future__ import annotations

import pytest

from compilelint.session.pipeline.imports import imports_in, nearest


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("import torch", [("torch", ())]),
        ("import a, b.c", [("a", ()), ("b.c", ())]),
        ("from a.b import c, d", [("a.b", ("c", "d"))]),
        ("from a import (\n    b,\n    c,\n)\n", [("a", ("b", "c"))]),
        ("def f():\n    from .layers import Block", [("pkg.nn.layers", ("Block",))]),
        ("from . import layers", [("pkg.nn", ("layers",))]),
        ("from ..data import load", [("pkg.data", ("load",))]),
        ("important = 1\nfromage = 2", []),
    ],
)
def test_modules_and_what_is_taken_out_of_them(text: str, found: list[tuple[str, tuple[str, ...]]]) -> None:
    assert list(imports_in(text, ["pkg", "nn"])) == found


@pytest.mark.parametrize(("dotted", "found"), [("a.b.C", "a.b"), ("a.x", "a"), ("a.b", "a.b"), ("z.b", ""), ("", "")])
def test_the_nearest_module_that_is_known(dotted: str, found: str) -> None:
    assert nearest(dotted, {"a", "a.b"}) == found
