"""Goldens that no page shows, run under the real Dynamo: what broke is one graph, and gives what it gave."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.fixes.goldens import goldens
from tests.fixes.test_pages_fixed import _function

pytestmark = pytest.mark.dynamo

# Title of a golden, and shapes of the arguments that its `f` is called with.
RUN: dict[str, list[tuple[int, ...]]] = {
    "a function that draws with NumPy becomes an operator": [(4, 6)],
    "a buffer is registered": [(3, 4)],
    "a new tensor asks for its gradient in eager mode": [(3, 4)],
    "a check of a tensor stays in the graph": [(3, 4)],
    "constants are made on the device": [(3, 4)],
    "a view of what was permuted": [(120,)],
    "a tensor that was just made": [(2, 3)],
    "over two lines, made like another": [(2, 3)],
    "a tensor that others hold too": [(2, 3)],
    "a sum": [(2, 3)],
    "an optional tensor tested for truth": [(2, 3), ()],
    "a C library is called with a number": [(2, 3)],
    "a mask is empty, and the rest only changes what it marks": [(2, 3)],
    "a product with the mask is added": [(2, 3)],
    "a mask of comparisons is counted": [(2, 3)],
    "a tensor is filled by random_ with bounds": [(2, 3)],
    "a tensor of the shape of another is filled by random_": [(2, 3)],
    "a test of TorchScript for a list": [(2, 3)],
    "a collection of garbage is left to eager mode": [(2, 3)],
    "a timer that is entered": [(2, 3)],
    "a tensor is copied by the copy module": [(2, 3)],
}
TEXTS = {case.title: (case.before, case.after) for case in goldens()}


@pytest.mark.parametrize("title", RUN)
def test_a_golden_is_one_graph_and_gives_what_it_gave(title: str, tmp_path: Path) -> None:
    import torch

    from tests.rules.recorder import record

    before, after = TEXTS[title]
    assert after is not None
    torch.manual_seed(1)
    args = tuple(torch.randn(shape) for shape in RUN[title])
    new = _function(after, tmp_path / "after.py")
    seen = record(new, [args], str(tmp_path / "after.py"))
    assert (seen.error, seen.breaks) == ("", [])
    got = [_drawn(one, args) for one in (new, torch.compile(new, backend="eager"))]
    if title == "a view of what was permuted":  # what raised is a copy now
        with pytest.raises(RuntimeError, match="view size is not compatible"):
            _drawn(_function(before, tmp_path / "before.py"), args)
        assert got[0].shape == (2, 4, 15)
        torch.testing.assert_close(got[1], got[0])
        return
    wanted = _drawn(_function(before, tmp_path / "before.py"), args)
    for one in got:
        torch.testing.assert_close(one, wanted)


def _drawn(function: Any, args: tuple[Any, ...]) -> Any:
    """The result, with the same random numbers for all."""
    import numpy
    import torch

    numpy.random.seed(3)
    torch.manual_seed(3)
    return function(*args)
