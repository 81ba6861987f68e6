"""Calls that are replaced by a twin, and those that only look like one."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.fixes.goldens import fixed

HEAD = "import copy\n\nimport numpy as np\nimport torch\n\n\n"


def changed(text: str, folder: Path) -> str:
    """What the fixes make of the last line; the text again where nothing is fixed."""
    before = HEAD + text
    after, _ = fixed(before, folder)
    return "" if after == before else after.splitlines()[-1].strip()


@pytest.mark.parametrize(
    ("made", "line", "after"),
    [
        pytest.param("d = {'a': x}", "return copy.copy(d)", "return d.copy()", id="a dict"),
        pytest.param("d = x", "return copy.copy(d)", "return d.clone()", id="a tensor"),
        pytest.param("d = given", "return copy.copy(d)", "", id="any object"),
        pytest.param("d = (x, x)", "return copy.copy(d)", "", id="a tuple has no copy"),
        pytest.param("d = {'a': x}", "return copy.deepcopy(d)", "", id="a deep copy of a dict"),
    ],
)
def test_a_container_copies_itself(made: str, line: str, after: str, tmp_path: Path) -> None:
    assert changed(f"def f(x: torch.Tensor, given):\n    {made}\n    {line}\n", tmp_path) == after


@pytest.mark.parametrize(
    ("line", "after"),
    [
        pytest.param("x = x + 1  # compilelint: ignore[CL101]", "x = x + 1", id="behind code"),
        pytest.param("# compilelint: ignore[CL101]", None, id="a line of its own"),
        pytest.param(
            "x = x + 1  # sum  # compilelint: ignore[CL101]", "x = x + 1  # sum", id="another comment stands before it"
        ),
    ],
)
def test_an_unused_suppression_is_deleted(line: str, after: str | None, tmp_path: Path) -> None:
    before = f"import torch\n\n\ndef f(x: torch.Tensor):\n    {line}\n    return x\n"
    made, _ = fixed(before, tmp_path)
    kept = [] if after is None else [f"    {after}"]
    assert made.splitlines() == ["import torch", "", "", "def f(x: torch.Tensor):", *kept, "    return x"]
