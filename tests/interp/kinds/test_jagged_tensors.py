"""Nested tensors of the jagged layout: which operations read how long the rows are."""

from __future__ import annotations

import pytest

from compilelint.interp.kinds import jagged_tensors
from tests.support.worker_messages import check

HEAD = """\
import torch
import torch.nn.functional as F
from torch import Tensor, nn

linear = nn.Linear(8, 8)
"""
PROGRAM = """
def f(x: Tensor, y: Tensor):
    rows = torch.nested.as_nested_tensor([x, y], layout=torch.jagged)
    heads = linear(rows).unflatten(-1, (2, 4)).transpose(1, 2)
    return {}
"""

# The expression, and what Dynamo asks the lengths for.
READ = [
    ("rows.unbind()", "call torch.Tensor.unbind"),
    ("torch.unbind(rows)", "call torch.unbind"),
    ("(rows * 2 + rows).unbind()", "call torch.Tensor.unbind"),
    ("heads.transpose(1, 2).flatten(-2).unbind()", "call torch.Tensor.unbind"),
    ("torch.cat([rows, rows], -1).unbind()", "call torch.Tensor.unbind"),
    ("rows.chunk(2, -1)[0].unbind()", "call torch.Tensor.unbind"),
    ("rows.select(0, 1)", "call torch.Tensor.select"),
    ("rows[0]", "syntax an item of a jagged tensor"),
    ("rows[..., :4][1]", "syntax an item of a jagged tensor"),
    ("[row.sum() for row in rows]", "syntax iteration over a jagged tensor in comprehension"),
    (
        "F.scaled_dot_product_attention(heads, heads, heads)",
        "call torch.nn.functional.scaled_dot_product_attention",
    ),
]
TRACED = [
    "rows.to_padded_tensor(0.0)",
    "rows.to_padded_tensor(0.0).unbind()",
    "rows.values().unbind()",
    "rows.sum(1).unbind()",
    "rows.select(-1, 0)",
    "rows[..., :4]",
    "heads * 2",
    "rows.size(0)",
    "x.unbind()",
]


@pytest.mark.parametrize(("expression", "event"), READ)
def test_what_asks_how_long_the_rows_are_ends_the_graph(expression: str, event: str) -> None:
    check(HEAD + PROGRAM.format(f"{expression}  # {event}"))


@pytest.mark.parametrize("expression", TRACED)
def test_what_does_not_is_traced(expression: str) -> None:
    check(HEAD + PROGRAM.format(expression))


def test_the_layout_is_followed_into_modules_and_out_of_them() -> None:
    check(
        HEAD
        + """
class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = nn.LayerNorm(8)
        self.out = nn.Linear(8, 8)

    def forward(self, x):
        return self.out(self.norm(x)) + x

class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.block = Block()

    def forward(self, values: Tensor, offsets: Tensor):
        rows = torch.nested.nested_tensor_from_jagged(values, offsets)
        return self.block(rows).unbind()  # call torch.Tensor.unbind
"""
    )


@pytest.mark.dynamo
@pytest.mark.parametrize(
    ("expression", "breaks"), [*((one, True) for one, _ in READ), *((one, False) for one in TRACED)]
)
def test_so_does_the_installed_torch(expression: str, breaks: bool) -> None:
    import torch
    from torch._dynamo.utils import counters

    names: dict[str, object] = {}
    exec(HEAD + PROGRAM.format(expression), names)
    torch._dynamo.reset()
    counters.clear()
    torch.compile(names["f"], backend="eager")(torch.randn(3, 8), torch.randn(5, 8))
    # A frame that is skipped for it is counted apart.
    said = [*counters["unimplemented"], *counters["graph_break"]]
    assert any("Data dependent operator" in text for text in said) is breaks


@pytest.mark.dynamo
def test_operations_that_are_said_to_keep_the_layout_do() -> None:
    import torch

    rows = torch.nested.as_nested_tensor([torch.randn(3, 8), torch.randn(5, 8)], layout=torch.jagged)
    ran = 0
    for name in sorted(jagged_tensors._KEEPING):
        operation = getattr(torch.Tensor, name, None) or getattr(torch, name, None)
        if operation is None:
            continue
        try:
            found = operation(rows.clone())
        except (AssertionError, RuntimeError, TypeError):
            continue  # it takes more arguments, or needs a device
        if isinstance(found, torch.Tensor):  # `type()` answers with a text
            assert found.is_nested, name
            ran += 1
    assert ran > 30
