"""Optimizers that a program writes, and weights that are computed from others (each run under Dynamo 2.13)."""

from __future__ import annotations

import pytest

from tests.host.test_run import found

OWN = """
class Own(torch.optim.Optimizer):
    def __init__(self, params, lr=0.1):
        super().__init__(params, dict(lr=lr))

    def step(self):
        for group in self.param_groups:
            for p in group["params"]:
                if p.grad is not None:
                    update(p.grad)

@torch.compile(backend="eager")
def update(g): return g * 2

fast(torch.ones(2, 4))
"""
STEP = "net.lin({}).sum().backward()\nOwn({}).step()"
MADE = "from torch.nn.utils import parametrizations as made, parametrize, prune\n"
CALLS = "fast(torch.ones(2, 4))\n{}\nfast(torch.ones(2, 4))"
GRADIENT = [("input", "rank", "g")]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        pytest.param(
            OWN + STEP.format("torch.ones(2, 4)", "net.parameters()"), GRADIENT, id="gradients of a weight and a bias"
        ),
        pytest.param(
            OWN + STEP.format("torch.ones(2, 4)", "[{'params': [net.lin.weight]}, {'params': net.lin.bias}]"),
            GRADIENT,
            id="in two groups",
        ),
        pytest.param(OWN + STEP.format("torch.ones(2, 4)", "[net.lin.weight]"), [], id="the gradient of one weight"),
        pytest.param(OWN + "Own(net.parameters()).step()", [], id="before any backward pass"),
        pytest.param(
            OWN + "net.lin.bias.requires_grad = False\n" + STEP.format("torch.ones(2, 4)", "net.parameters()"),
            [],
            id="the bias is frozen",
        ),
        pytest.param(
            MADE + CALLS.format("made.weight_norm(net.lin)"), [("state", "class", "self.lin")], id="parametrized late"
        ),
        pytest.param(
            MADE
            + "made.weight_norm(net.lin)\n"
            + CALLS.format("parametrize.remove_parametrizations(net.lin, 'weight')"),
            [("state", "class", "self.lin")],
            id="the parametrization is removed late",
        ),
        pytest.param(MADE + "made.weight_norm(net.lin)\n" + CALLS.format(""), [], id="parametrized before the calls"),
        pytest.param(
            MADE + CALLS.format("prune.random_unstructured(net.lin, 'weight', amount=0.5)"),
            [("state", "type", "self.lin.weight")],
            id="pruned late",
        ),
        pytest.param(
            MADE + "prune.random_unstructured(net.lin, 'weight', amount=0.5)\n" + CALLS.format(""),
            [],
            id="pruned before the calls",
        ),
        pytest.param(MADE + CALLS.format("prune.is_pruned(net.lin)"), [], id="only asked whether it is pruned"),
    ],
)
def test_calls_that_compile_again(source: str, expected: list[tuple[str, str, str]]) -> None:
    assert found(source) == expected
