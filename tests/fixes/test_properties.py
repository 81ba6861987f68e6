"""Random programs of fixable patterns, fixed and run: equal results, nothing left, and nothing to do a second time."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.fixes.goldens import fixed

pytestmark = pytest.mark.dynamo

HEAD = "import copy\nimport logging\n\nimport torch\n\nlogger = logging.getLogger(__name__)\n\n\n"

# Each line of the program takes `x`, `y` (float, 3 by 4) and leaves them; {c} is a number, {o} a comparison.
PIECES = (
    "y = x * {c} if x.sum() {o} {c} else x - {c}",
    "y = x if not (x {o} {c}).all() else y + {c}",
    "if (x {o} {c}).any():\n    y = x + {c}\nelse:\n    y = y - {c}",
    "if x.max() {o} {c}:\n    own = y * {c}\n    y = own - x",
    'if x.sum() > 1000:\n    raise ValueError("large")',
    'logger.info(\n    "at %s",  # why\n    {c},\n)',
    "scale = x.abs().max().detach().item()\ny = y * scale",
    'assert x.abs().max() < 1000 and y.abs().sum() >= 0, "range"',
    "y = y.reshape(3, 4)\nm = y {o} {c}\ny[m] = {c} - y[m]",
    "y = y.reshape(3, 4)\ny = y + y[y {o} {c}].sum()",
    'd = copy.copy({{"x": x}})\ny = y + d["x"]',
    "row = x.sum(1).argmax()\ny = y + x[row]",
    "y = y + torch.arange(4).to(x.device)",
    "torch._check_tensor_all(x.abs() < 1000)",
)
PIECE = st.builds(
    lambda piece, c, o: piece.format(c=c, o=o),
    st.sampled_from(PIECES),
    st.integers(-2, 3),
    st.sampled_from(["<", ">", "<=", ">="]),
)


def program(pieces: list[str], deep: bool) -> str:
    """A function of the pieces, in a loop if `deep`."""
    # A name that one arm needs for itself must not be another's too: whether that one reads it is not looked into.
    lines = [line.replace("own", f"own{n}") for n, piece in enumerate(pieces) for line in piece.split("\n")]
    step = "        " if deep else "    "
    body = "\n".join(step + line for line in lines)
    loop = "    for _ in range(2):\n" if deep else ""
    return f"{HEAD}def f(x: torch.Tensor):\n    y = x + 1\n{loop}{body}\n    return y\n"


def _results(text: str) -> list[Any]:
    import torch

    names: dict[str, Any] = {"__name__": "program"}
    exec(compile(text, "<program>", "exec"), names)
    found = []
    for seed in range(3):
        torch.manual_seed(seed)
        found.append(names["f"](torch.randn(3, 4)))
    return found


@given(pieces=st.lists(PIECE, min_size=1, max_size=5), deep=st.booleans())
@settings(max_examples=40, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
def test_a_fixed_program_does_what_it_did(pieces: list[str], deep: bool) -> None:
    import torch

    before = program(pieces, deep)
    with tempfile.TemporaryDirectory() as folder:
        after, first = fixed(before, Path(folder))
        again, _ = fixed(after, Path(folder))
    assert again == after
    assert first.settled
    assert [one.message for one in first.report.findings] == []
    for wanted, got in zip(_results(before), _results(after), strict=True):
        assert got.dtype == wanted.dtype
        torch.testing.assert_close(got, wanted, equal_nan=True)
