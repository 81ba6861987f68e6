"""What is said of a line that no run came to: what to give a run instead."""

from __future__ import annotations

import ast

import pytest

from compilelint.dynamic.ways import way_to

TEXT = """
class Net:
    def forward(self, x, n=None):
        size = x.shape[0]
        scale = size + self.offset
        if scale > 4:
            y = x * 2
        elif self.flag:
            y = x - 1
        else:
            while n:
                n = n - 1
            y = x + 1
        if TRACING:
            y = y + 2
        return torch.where(y > 0, y, x) if y is not None else len(y)

    def unused(self, x):
        return x + 1


if a:
    b = 1
"""


def _way(part: str, *ran: str) -> str:
    tree = ast.parse(TEXT)
    nodes = [one for one in ast.walk(tree) if isinstance(one, (ast.stmt, ast.expr))]
    node = next(one for one in nodes if (ast.get_source_segment(TEXT, one) or "").startswith(part))
    head = node.test if isinstance(node, (ast.If, ast.While)) else node
    seen = ("size = x", *ran)
    return way_to(tree, node, head, lambda one: (ast.get_source_segment(TEXT, one) or "").startswith(seen))


@pytest.mark.parametrize(
    ("part", "ran", "said"),
    [
        pytest.param(
            "if scale",
            ("scale > 4",),
            "give --input that takes the other side: in `Net.forward` it depends on `x`",
            id="a test that ran, through two names, an input before an attribute",
        ),
        pytest.param(
            "y = x * 2",
            ("scale > 4",),
            "give --input where `scale > 4` is true: in `Net.forward` it depends on `x`",
            id="a statement under a test",
        ),
        pytest.param(
            "n = n - 1",
            (),
            "give --input where `n` is true: in `Net.forward` it depends on `n`",
            id="in a loop",
        ),
        pytest.param(
            "y = x - 1",
            (),
            "name a target where `self.flag` is true: in `Net.forward` it depends on `self.flag`",
            id="what the object decides is no input's",
        ),
        pytest.param(
            "y = x + 1",
            (),
            "name a target where `self.flag` is false: in `Net.forward` it depends on `self.flag`",
            id="the other side",
        ),
        pytest.param(
            "torch.where",
            ("torch.where",),
            "give --input that takes the other side: in `Net.forward` it depends on `x`",
            id="a choice between two expressions",
        ),
        pytest.param("return x + 1", (), "no run calls `Net.unused`: name a target that does", id="never entered"),
        pytest.param("if TRACING", ("TRACING",), "", id="what no input and no object decides"),
        pytest.param("y = y + 2", ("TRACING",), "give --input where `TRACING` is true", id="under such a test"),
        pytest.param("scale = ", (), "", id="nothing stands above it"),
        pytest.param("b = 1", (), "", id="in no function"),
    ],
)
def test_way(part: str, ran: tuple[str, ...], said: str) -> None:
    assert _way(part, *ran) == said
