"""Functions that call what they are given: transforms, checkpointing, `cond`."""

from __future__ import annotations

from tests.support.reveal import check


def test_function_transforms_call_what_they_are_given() -> None:
    check("""
        def loss(params, x):
            reveal_type(x)  # tensor input
            return (params * x).sum()

        def f(x: Tensor, params: Tensor):
            torch.func.grad(loss)(params, x)
            torch.vmap(loss)(params, x)
    """)


def test_checkpoint_calls_its_function() -> None:
    check("""
        from torch.utils.checkpoint import checkpoint

        class Net(nn.Module):
            def block(self, x, scale=None):
                reveal_type(scale)  # None
                return x.sum(), scale

            def forward(self, x: Tensor):
                reveal_type(checkpoint(self.block, x, use_reentrant=False))  # tuple(tensor 0-d computed, None)
                reveal_type(torch.utils.checkpoint.checkpoint(self.block, x)[0])  # tensor 0-d computed
    """)


def test_cond_joins_both_functions() -> None:
    check("""
        def f(x: Tensor):
            reveal_type(torch.cond(x.sum() > 0, lambda t: t.sum(), lambda t: t.mean(), (x,)))  # tensor 0-d computed
    """)
