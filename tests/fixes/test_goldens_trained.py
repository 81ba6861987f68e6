"""Goldens across several rewrites under the real Dynamo: one graph, with equal results and gradients."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.fixes.goldens import goldens
from tests.fixes.test_pages_fixed import _module

TEXTS = {case.title: (case.before, case.after) for case in goldens()}


def _calls(shape: tuple[int, ...]) -> list[tuple[Any, ...]]:
    import torch

    torch.manual_seed(1)
    made = [torch.randn(shape, requires_grad=True) for _ in range(3)]
    return [(x,) for x in made]


def _numbers() -> list[tuple[Any, ...]]:
    import torch

    return [(torch.full((2,), value, requires_grad=True), 0.0, 1.0) for value in (0.2, 3.0, -1.0)]


MODULES: dict[str, tuple[str, Callable[[], list[tuple[Any, ...]]]]] = {
    "a number kept in an attribute that other methods index with": ("Schedule", lambda: _calls((7, 1))),
    "a number handed to a method": ("Net", lambda: _calls((7, 1))),
    "a count that tensors are divided by": ("M", lambda: _calls((2, 4))),
    "a test of the count that a tensor is multiplied by": ("M", lambda: _calls((2, 4))),
    "a chain that chooses a side": ("f", _numbers),
}


def _trained(made: Any, calls: list[tuple[Any, ...]]) -> list[Any]:
    """Results of the calls and the gradients of their sums."""
    import torch

    found = []
    for args in calls:
        result = made(*args)
        parameters = list(made.parameters()) if isinstance(made, torch.nn.Module) else []
        found.append((result.detach(), torch.autograd.grad(result.sum(), [args[0], *parameters])))
    return found


@pytest.mark.dynamo
@pytest.mark.parametrize("title", MODULES)
def test_a_golden_is_one_graph_with_the_same_results_and_gradients(title: str, tmp_path: Path) -> None:
    import torch

    from tests.rules.recorder import record

    name, calls = MODULES[title]

    def built(text: str, path: Path) -> Any:
        torch.manual_seed(0)
        found = getattr(_module(text, path), name)
        return found() if isinstance(found, type) else found

    before, after = TEXTS[title]
    assert after is not None
    seen = record(built(after, tmp_path / "after.py"), calls(), str(tmp_path / "after.py"))
    assert (seen.error, seen.breaks) == ("", [])
    wanted = _trained(built(before, tmp_path / "before.py"), calls())
    torch.testing.assert_close(_trained(built(after, tmp_path / "after.py"), calls()), wanted)
    compiled = torch.compile(built(after, tmp_path / "after.py"), backend="eager")
    torch.testing.assert_close(_trained(compiled, calls()), wanted)
