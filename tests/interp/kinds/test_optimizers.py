"""Optimizers of a program: what they inherit, and the state that their steps fill. Run under torch 2.13."""

from __future__ import annotations

import pytest

from tests.support.worker_messages import check

OPTIMIZER = """
class Own(torch.optim.Optimizer):
    def __init__(self, params, lr=0.1):
        super().__init__(params, {{"lr": lr, "k": 0}})

    def step(self, closure=None):
        for group in self.param_groups:
            for p in group["params"]:
                state = self.state[p]
                if {test}:
                    state["step"] = 0
                    state["mean"] = torch.zeros_like(p)
                state["step"] += 1
                {line}
"""


@pytest.mark.parametrize(
    "line",
    [
        pytest.param("s = p.grad.norm().item()  # call torch.Tensor.item in for/for", id="a gradient"),
        pytest.param('s = state["mean"].norm().item()  # call torch.Tensor.item in for/for', id="filled state"),
        pytest.param("s = p.norm().item()  # call torch.Tensor.item in for/for", id="a parameter"),
    ],
)
@pytest.mark.parametrize("test", ["len(state) == 0", "not state", '"step" not in state'])
def test_what_a_step_reads(test: str, line: str) -> None:
    check(OPTIMIZER.format(test=test, line=line), roots=("all",))


@pytest.mark.parametrize(
    "line",
    [
        pytest.param('s = float(state["step"])', id="a number that the step keeps"),
        pytest.param('s = 1 if group["k"] == 0 else 2', id="a setting"),
        pytest.param('s = state["mean"].add_(p.grad)', id="tensors only"),
    ],
)
def test_what_a_step_does_with_numbers(line: str) -> None:
    check(OPTIMIZER.format(test="len(state) == 0", line=line), roots=("all",))


def test_another_class_has_no_groups() -> None:
    check("""
        class Own:
            def step(self, closure=None):
                for group in self.param_groups:
                    for p in group["params"]:
                        s = p.norm().item()
        """)


@pytest.mark.parametrize(
    ("test", "breaks"),
    [
        ("state is None", ""),
        ("len(other) == 0", "  # call builtins.float likely"),
        ("len(state) == 1", "  # call builtins.float likely"),
        ("state", "  # call builtins.float likely"),
    ],
)
def test_another_test_fills_on_some_ways_only(test: str, breaks: str) -> None:
    check(
        f"""
        def f(x: Tensor, state: dict, other: dict):
            if {test}:
                state["mean"] = x.exp()
            return float(state.get("mean", 0.0)){breaks}
        """,
        roots=("all",),
    )
