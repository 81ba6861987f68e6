"""Autograd functions where they are applied."""

from __future__ import annotations

from tests.support.reveal import check


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
