"""How what is compiled is called: once, beside what a loop calls."""

from __future__ import annotations

import pytest

from tests.support.practices import of_kind

_BOTH = "    first = torch.compile(first)\n    step = torch.compile(step)\n"


def test_what_is_called_once_beside_a_loop() -> None:
    text = f"def f(first, step, x):\n{_BOTH}    x = first(x)\n    for _ in range(9):\n        x = step(x)"
    assert of_kind("once", text) == [("first", "step")]


@pytest.mark.parametrize(
    "body",
    [
        pytest.param("    first(x)\n    step(x)", id="both once"),
        pytest.param("    for _ in range(9):\n        step(first(x))", id="both in the loop"),
        pytest.param("    for _ in range(9):\n        step(x)", id="never"),
    ],
)
def test_nothing_is_called_once_beside_a_loop(body: str) -> None:
    assert of_kind("once", f"def f(first, step, x):\n{_BOTH}{body}") == []
