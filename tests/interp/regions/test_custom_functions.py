"""What a class of `torch.autograd.Function` itself keeps out of the graph."""

from __future__ import annotations

import pytest

from tests.support.worker_messages import check

BACKWARD = """
            @staticmethod
            def backward(ctx, g):
                return g
"""


@pytest.mark.parametrize(
    ("body", "event"),
    [
        pytest.param("forward = Doubles()", "call torch.autograd.Function.apply", id="an object"),
        pytest.param("forward = functools.partial(scaled, 2)", "call torch.autograd.Function.apply", id="a partial"),
        pytest.param("forward = staticmethod(Doubles())", "call torch.autograd.Function.apply", id="static"),
        pytest.param("forward = staticmethod(lambda ctx, x: x * 2)", "", id="a function"),
    ],
)
def test_forward_is_a_function(body: str, event: str) -> None:
    check(f"""
        class Doubles:
            def __call__(self, ctx, x):
                return x * 2

        def scaled(k, ctx, x):
            return x * k

        class Own(torch.autograd.Function):
            {body}
{BACKWARD}
        def f(x: Tensor):
            return Own.apply(x){"  # " + event if event else ""}
    """)


@pytest.mark.parametrize(
    ("statement", "event"),
    [
        ("ctx._materialize_non_diff_grads = False", "  # call torch.autograd.Function.apply"),
        ("ctx.set_materialize_grads(False)", ""),
        ("ctx.scale = 3", ""),
    ],
)
def test_attributes_of_the_context(statement: str, event: str) -> None:
    check(f"""
        class Own(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                {statement}
                return x.clone()
{BACKWARD}
        def f(x: Tensor):
            return Own.apply(x){event}
    """)


def test_mark_dirty_behind_a_break() -> None:
    check("""
        class Marks(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                y = x.clone()
                torch._dynamo.graph_break()  # call torch._dynamo.graph_break
                ctx.mark_dirty(y)  # call torch.autograd.function.FunctionCtx.mark_dirty
                return y

        class Saves(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                y = x.clone()
                torch._dynamo.graph_break()  # call torch._dynamo.graph_break
                ctx.save_for_backward(y)
                return y
    """)


def test_items_of_a_comprehension_are_tensors_of_their_own() -> None:
    check("""
        class Product(torch.autograd.Function):
            @staticmethod
            def forward(ctx, a, b):
                return a * b

            @staticmethod
            def backward(ctx, g):
                return g, g

        def f(x: Tensor, y: Tensor):
            a, b = [one.view(-1) for one in (x, y)]
            Product.apply(a, b)
            Product.apply(a, a)  # call torch.autograd.Function.apply
            c, d = [x for _ in (1, 2)]
            Product.apply(c, d)  # call torch.autograd.Function.apply
    """)
