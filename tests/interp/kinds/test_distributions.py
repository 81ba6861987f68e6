"""`torch.distributions`: what their objects give, wherever they were made."""

from __future__ import annotations

import pytest

from tests.support.reveal import check

NORMAL = "torch.distributions.Normal(x, 1.0)"


@pytest.mark.parametrize(
    ("read", "holds"),
    [
        (f"{NORMAL}.rsample()", "tensor float computed"),
        (f"{NORMAL}.log_prob(x)", "tensor float computed"),
        (f"{NORMAL}.entropy()", "tensor float computed"),
        (f"{NORMAL}.mean", "tensor float computed"),
        (f"{NORMAL}.batch_shape", "tuple[int]"),
        (f"torch.distributions.Independent({NORMAL}, 1).base_dist.loc", "tensor float computed"),
        ("torch.distributions.Categorical(logits=x).sample()", "tensor int computed"),
        ("self.drawn.sample((3,))", "tensor computed"),
        ("given.log_prob(x)", "tensor float computed"),
        ("Own(x).rsample()", "tensor float computed"),
        ("torch.distributions.kl_divergence(given, given)", "tensor float computed"),
    ],
)
def test_what_a_distribution_gives(read: str, holds: str) -> None:
    check(f"""
        class Own(torch.distributions.Normal):
            def __init__(self, loc):
                super().__init__(loc, 1.0)

        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.drawn = torch.distributions.Bernoulli(torch.tensor(0.5))

            def forward(self, x: Tensor, given: torch.distributions.Distribution):
                reveal_type({read})  # {holds}
    """)


@pytest.mark.parametrize("name", ["sampled", "shape"])
def test_what_distributions_do_not_have(name: str) -> None:
    check(
        f"""
        def f(x: Tensor):
            reveal_type({NORMAL}.{name}())  # ?
    """,
        roots=("all",),
    )
