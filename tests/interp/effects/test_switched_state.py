"""Switches of torch that a call leaves in another position (measured on Dynamo)."""

from __future__ import annotations

import pytest

from compilelint.events import StateChange
from tests.support.reveal import run
from tests.support.state_changes import changes


@pytest.mark.parametrize(
    ("body", "name"),
    [
        pytest.param("torch.set_grad_enabled(False)", "grad_mode", id="no gradients"),
        pytest.param("torch.set_grad_enabled(not torch.is_grad_enabled())", "grad_mode", id="toggled"),
        pytest.param("torch.set_default_dtype(torch.float64)", "default_dtype", id="a default"),
        pytest.param("torch.use_deterministic_algorithms(True)", "deterministic_algorithms", id="deterministic"),
        pytest.param("torch.backends.cuda.matmul.allow_tf32 = True", "allow_tf32", id="a flag of a backend"),
        pytest.param(
            "torch.backends.cuda.matmul.allow_tf32 = not torch.backends.cuda.matmul.allow_tf32",
            "allow_tf32",
            id="a flag that is toggled",
        ),
        pytest.param("torch.autograd.set_grad_enabled(mode=False)", "grad_mode", id="by another name"),
        pytest.param("torch.set_num_threads(2)", "num_threads", id="threads"),
        pytest.param("torch.set_default_device('cpu')", "default_device", id="a default device"),
    ],
)
def test_a_switch_is_left_in_another_position(body: str, name: str) -> None:
    assert changes("self.n = 1", body) == [(name, "flips")]


@pytest.mark.parametrize(
    "body",
    [
        pytest.param("torch.set_grad_enabled(True)", id="as it was"),
        pytest.param("torch.set_num_threads(torch.get_num_threads())", id="as many threads as there were"),
        pytest.param("torch.set_default_device(None)", id="no default device"),
        pytest.param("torch.set_grad_enabled(False); torch.set_grad_enabled(True)", id="put back"),
        pytest.param("old = torch.get_default_dtype(); torch.set_default_dtype(old)", id="what was read"),
        pytest.param("torch.backends.cudnn.benchmark = True", id="no guard looks at it"),
    ],
)
def test_a_switch_that_costs_nothing(body: str) -> None:
    assert changes("self.n = 1", body) == []


def test_a_with_takes_it_back() -> None:
    source = """
        def f(x: Tensor):
            with torch.set_grad_enabled(False):
                return x * 2
    """
    assert [event for event in run(source) if isinstance(event, StateChange)] == []
