"""What is believed about parameters: by annotation, use, default and name, in this order."""

from __future__ import annotations

import pytest

from tests.support.reveal import check


@pytest.mark.parametrize(
    ("parameter", "use", "belief"),
    [
        pytest.param("p: Tensor", "", "tensor input", id="annotation"),
        pytest.param("p: Tensor = None", "", "None | tensor input", id="annotation, None by default"),
        pytest.param("p: int | Tensor = 3", "", "int | tensor input possible", id="default of another type"),
        pytest.param("p", "p.masked_fill(m, 0)", "tensor input likely", id="use"),
        pytest.param("p: int", "p.masked_fill(m, 0)", "int", id="annotation before use"),
        pytest.param("p=2", "", "int", id="default"),
        pytest.param("hidden_states", "", "tensor input likely", id="name"),
        pytest.param("hidden_states=None", "", "None | tensor input likely", id="name, None by default"),
        pytest.param("hidden_states=True", "", "bool", id="default before name"),
        pytest.param("p", "", "?", id="nothing"),
        pytest.param("*p", "", "tuple[?]", id="the rest"),
        pytest.param("**p", "", "dict(...: ?)", id="the rest by name"),
    ],
)
def test_of_a_forward(parameter: str, use: str, belief: str) -> None:
    name = parameter.strip("*").partition(":")[0].partition("=")[0]
    check(
        "class M(nn.Module):\n"
        f"    def forward(self, {parameter}):\n"
        f"        reveal_type({name})  # {belief}\n"
        f"        {use}\n"
    )


def test_a_name_says_less_outside_of_a_forward() -> None:
    check("def helper(x: Tensor, mask):\n    reveal_type(mask)  # tensor input possible\n    return x\n")


def test_a_backward_is_handed_gradients() -> None:
    check(
        "class Twice(torch.autograd.Function):\n"
        "    @staticmethod\n"
        "    def forward(ctx, x, n):\n"
        "        reveal_type(ctx)  # instance torch.autograd.function.FunctionCtx\n"
        "        reveal_type(x)  # tensor input likely\n"
        "        reveal_type(n)  # ?\n"
        "        return x * 2\n"
        "    @staticmethod\n"
        "    def backward(ctx, g):\n"
        "        reveal_type(g)  # tensor input\n"
        "        return g, None\n"
    )


def test_the_value_of_a_setter_is_no_tensor_by_its_name() -> None:
    check("""
        class M(nn.Module):
            @property
            def loss(self): return self._loss

            @loss.setter
            def loss(self, value): self._loss = value

            def forward(self, x: Tensor):
                reveal_type(self.loss)  # ?
                return x
    """)


def test_what_a_loss_compares_is_two_tensors() -> None:
    check("""
        from torch.nn.modules.loss import _Loss

        class Loss(_Loss):
            def forward(self, guess, wanted, scale):
                reveal_type(guess)  # tensor input likely
                reveal_type(wanted)  # tensor input likely
                reveal_type(scale)  # ?

        class Plain(nn.Module):
            def forward(self, guess, wanted):
                reveal_type(wanted)  # ?
    """)
