"""Functions that call what they are given: transforms, checkpointing, `cond`."""

from __future__ import annotations

from tests.support import worker_messages as events
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


def test_what_disable_was_called_on_ends_the_graph_wherever_it_is_called() -> None:
    events.check("""
        def plain(x: Tensor) -> Tensor:
            return x + 1

        apart = torch.compiler.disable(plain)
        outer = torch._dynamo.disable(nn.Linear(4, 4))

        def f(x: Tensor):
            return apart(x) + plain(x)  # call torch.compiler.disable

        def g(x: Tensor):
            return outer(x)  # call torch.compiler.disable

        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.head = torch.compiler.disable(nn.Linear(4, 4))
                self.tail = torch.compiler.disable(self._tail)

            def _tail(self, x):
                return x.sin() if x.sum() > 0 else x

            def forward(self, x: Tensor):
                x = x * self.head.weight
                return self.tail(self.head(x))  # call torch.compiler.disable
    """)


def test_a_disabled_class_is_not_entered_where_its_object_is_called() -> None:
    events.check("""
        @torch.compiler.disable
        class Apart(nn.Module):
            def forward(self, x: Tensor):
                return x if x.sum() > 0 else -x

            def help(self, x: Tensor):
                return x if x.sum() > 0 else -x  # branch if-expression

        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.apart = Apart()

            def forward(self, x: Tensor):
                return self.apart(x)  # call torch.compiler.disable
    """)
