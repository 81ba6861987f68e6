"""Autograd functions where they are applied."""

from __future__ import annotations

import pytest

from compilelint.events import Call
from compilelint.values import Tensor
from tests.support import worker_messages as events
from tests.support.reveal import check, run


def test_an_autograd_function_is_applied() -> None:
    check("""
        class Clip(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x, limit):
                ctx.save_for_backward(x)
                reveal_type(ctx)  # instance torch.autograd.function.FunctionCtx
                return x.clamp(max=limit)

            @staticmethod
            def backward(ctx, grad):
                x, = ctx.saved_tensors
                reveal_type(x)  # tensor input
                reveal_type(grad)  # tensor input
                return grad, None

        def f(x: Tensor):
            reveal_type(Clip.apply(x, 3))  # tensor computed
            clip = Clip.apply
            reveal_type(clip(x, 3))  # tensor computed
    """)


def test_an_autograd_function_with_a_context_of_its_own() -> None:
    check("""
        class Clip(torch.autograd.Function):
            @staticmethod
            def forward(x, limit):
                return x > limit

            @staticmethod
            def setup_context(ctx, inputs, output):
                ctx.n = 3

        def f(x: Tensor):
            reveal_type(Clip.apply(x, 3))  # tensor bool computed
    """)


@pytest.mark.parametrize(
    ("line", "sure"),
    [
        pytest.param("h", None, id="what a layer gives has a gradient already"),
        pytest.param("(h + 1)", None, id="so has what is computed of it"),
        pytest.param("h.exp().sum()", None, id="in several steps"),
        pytest.param("h.detach()", "certain", id="cut off"),
        pytest.param("(h.detach() + 1)", "certain", id="cut off before something is computed"),
        pytest.param("h.data", "certain", id="cut off by its data"),
        pytest.param("torch.zeros_like(h)", "certain", id="like it, and made here"),
        pytest.param("h.new_zeros(3)", "certain", id="made by it"),
        pytest.param("(x + 1)", "certain", id="of an input"),
        pytest.param("x", "likely", id="an input, which may need one"),
    ],
)
def test_a_gradient_that_is_asked_for_where_there_is_one_already_changes_nothing(line: str, sure: str | None) -> None:
    text = f"""
class M(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(2, 2)

    def forward(self, x: Tensor):
        h = self.layer(x)
        {line}.requires_grad_()
        return h
"""
    found = [event for event in run(text) if isinstance(event, Call) and event.breaks]
    assert [e.receiver.confidence.label for e in found if isinstance(e.receiver, Tensor)] == ([sure] if sure else [])


def test_the_node_of_what_a_gradient_flows_through_ends_the_graph() -> None:
    events.check("""
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.layer = nn.Linear(4, 4)

            def forward(self, x: Tensor):
                y = self.layer(x)
                if y.grad_fn is None:  # syntax .grad_fn
                    return x.grad_fn
                return y.detach().grad_fn
    """)


@pytest.mark.parametrize("name", ["jacobian", "hessian", "vjp", "jvp", "vhp", "hvp"])
@pytest.mark.parametrize(("function", "fails"), [("lambda t: t.sin()", False), ("g", False), ("torch.sin", True)])
def test_a_function_of_ones_own_ends_the_graph_and_one_of_torch_fails_the_compilation(
    name: str, function: str, fails: bool
) -> None:
    text = f"def f(g, x: Tensor):\n    return torch.autograd.functional.{name}({function}, x, x)\n"
    (event,) = [event for event in run(text) if isinstance(event, Call) and event.breaks]
    assert event.outcome is not None
    assert (event.outcome.raises, event.outcome.gb_id) == (fails, None if fails else "GB0055")
