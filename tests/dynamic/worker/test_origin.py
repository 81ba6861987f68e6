"""The first operation that differs: prefixes of a graph, the search under a backend that is wrong, and its words."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from compilelint.dynamic.protocol import Settings
from compilelint.dynamic.runner import observe
from compilelint.dynamic.targets import Target, input_set

pytestmark = pytest.mark.dynamo

NET = """
import torch


def wrong(graph, inputs):
    for node in graph.graph.nodes:
        if node.target is torch.relu:
            with graph.graph.inserting_after(node):
                more = graph.graph.call_function(torch.add, (node, 0.1))
            node.replace_all_uses_with(more, delete_user_cb=lambda user: user is not more)
    graph.recompile()
    return graph.forward


torch._dynamo.register_backend(wrong, name="wrong_relu")


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(8, 8)

    def forward(self, x):
        a, b = self.linear(x).chunk(2, 1)
        y = torch.cat([a.sin(), b.cos()], 1) + torch.rand(8)
        y = torch.relu(y - 0.1)
        y = y * 3
        y.add_(1)
        return y * x


class Asks(torch.nn.Module):
    def forward(self, x):
        x = x * 2
        print("seen")
        return x + 1 if torch.compiler.is_compiling() else x
"""


@pytest.mark.slow
def test_a_wrong_backend_is_charged_to_one_operation_and_a_wrong_graph_to_none(
    tmp_path: Path, shared_worker: None
) -> None:
    (tmp_path / "wrongly.py").write_text(NET)
    inputs = (input_set(["4x8"], "test"),)
    targets = [Target(f"wrongly:{name}", inputs=inputs) for name in ("Net", "Asks")]
    targets.append(Target("wrongly:Net", inputs=inputs, mode="train"))
    settings = Settings(paths=(str(tmp_path),), cwd=str(tmp_path), backend="wrong_relu", locate=True)
    net, asks, trained = observe(targets, settings)
    for run in (net, trained):
        assert run.parity is not None
        text = run.parity.divergences[0].text
        assert (
            "the first operation that differs is torch.relu of 4x8:float32 (operation 11 of 14 in its graph; " in text
        )
        assert text.endswith("alone, too) at wrongly.py:26: y = torch.relu(y - 0.1)")
    assert asks.parity is not None
    assert "; the captured graph already differs" in asks.parity.divergences[0].text
    assert asks.parity.divergences[0].text.endswith("; the first graph break is at wrongly.py:35")


def _traced(function: Any) -> Any:
    import torch

    return torch.fx.symbolic_trace(function)


def test_a_prefix_gives_what_the_rest_needs_and_nothing_else() -> None:
    import torch

    from compilelint.dynamic.worker.origin import prefix_of

    def forward(x: torch.Tensor) -> torch.Tensor:
        dead = x.sin().sum()
        a, b = x.chunk(2)
        return (a + 1) * b * dead

    graph = _traced(forward)
    x = torch.arange(4.0)
    add = next(node for node in graph.graph.nodes if node.name == "add")
    kinds = {"sum_1": torch.Tensor, "chunk": 2, "add": torch.Tensor, "getitem_1": torch.Tensor}
    found = [one.tolist() for one in prefix_of(graph, add, kinds).forward(x)]
    assert found[0] == pytest.approx(float(x.sin().sum()))
    assert [1.0, 2.0] in found  # a + 1
    assert [2.0, 3.0] in found  # b
    assert x.sin().tolist() not in found


def test_operations_have_the_names_that_users_write() -> None:
    import torch

    from compilelint.dynamic.worker.origin import name_of

    def forward(x: torch.Tensor) -> torch.Tensor:
        return torch.nn.functional.softmax(torch.relu(x), -1).view(-1) + x

    names = [name_of(node) for node in _traced(forward).graph.nodes if node.op.startswith("call_")]
    assert names == ["torch.relu", "torch.nn.functional.softmax", "Tensor.view", "operator.add"]


@pytest.mark.parametrize(
    ("timeout", "used", "limit"),
    [
        pytest.param(300, 10, 60, id="a minute at most"),
        pytest.param(60, 20, 20, id="half of what is left"),
        pytest.param(10, 30, 0.001, id="never none, which an alarm takes for off"),
    ],
)
def test_the_search_leaves_time_for_the_rest(timeout: float, used: float, limit: float) -> None:
    from compilelint.dynamic.worker.origin import limit_of

    assert limit_of(timeout, used) == limit
