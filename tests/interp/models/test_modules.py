"""Layers, NumPy arrays, function transforms, checkpointing, autograd functions, small models of the library."""

from __future__ import annotations

from tests.support.reveal import check


def test_layers_keep_or_change_the_rank() -> None:
    check("""
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.linear = nn.Linear(2, 2)
                self.embedding = nn.Embedding(9, 2)
                self.drop = nn.Dropout(0.1)
                self.loss = nn.CrossEntropyLoss()
                self.skip = nn.Identity()
                self.conv = nn.Conv2d(1, 1, 1)

            def forward(self, x: Tensor):
                y = torch.zeros(2, 3)
                reveal_type(self.linear(y))  # tensor float 2-d computed
                reveal_type(self.embedding(y.long()))  # tensor float 3-d computed
                reveal_type(self.drop(y))  # tensor float 2-d computed
                reveal_type(self.loss(y, y))  # tensor float 0-d computed
                reveal_type(self.skip(y > 0))  # tensor bool 2-d computed
                reveal_type(self.conv(x))  # tensor float computed
    """)


def test_layers_with_several_results() -> None:
    check("""
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.lstm = nn.LSTM(2, 2)
                self.gru = nn.GRU(2, 2)
                self.attention = nn.MultiheadAttention(2, 2)

            def forward(self, x: Tensor):
                out, (h, c) = self.lstm(x)
                reveal_type(h)  # tensor float input
                out, h = self.gru(x)
                reveal_type(h)  # tensor float input
                out, weights = self.attention(x, x, x)
                reveal_type(weights)  # None | tensor float computed
    """)


def test_layers_are_followed_into_parameters() -> None:
    check("""
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.linear = nn.Linear(2, 2)

            def forward(self, x: Tensor):
                reveal_type(self.linear.weight)  # tensor float parameter
                reveal_type(self.linear.weight.dtype)  # instance torch.dtype
                reveal_type(x.to(self.linear.weight.dtype))  # tensor computed
                reveal_type(self.linear.in_features)  # ?
    """)


def test_numpy_is_traced_as_arrays() -> None:
    check("""
        def f(x: Tensor, a: np.ndarray, n: int):
            reveal_type(np.zeros(3))  # array float 1-d computed likely
            reveal_type(np.arange(3))  # array int 1-d computed likely
            reveal_type(a + 1)  # array computed
            reveal_type(a > 0)  # array bool computed
            reveal_type(a.sum())  # array 0-d computed
            reveal_type(np.sum(a))  # array 0-d computed
            reveal_type(x.numpy())  # array input
            reveal_type(torch.from_numpy(a))  # tensor computed
            reveal_type(a.shape[0])  # int shape
    """)


def test_numpy_on_plain_numbers() -> None:
    check("""
        def f(x: Tensor):
            reveal_type(np.sqrt(2.0))  # float
            reveal_type(np.random.rand(3))  # array float 1-d computed
            reveal_type(np.float32)  # library numpy.float32
    """)


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


def test_small_models() -> None:
    check("""
        import copy, typing

        def f(x: Tensor):
            reveal_type(typing.cast(int, x))  # tensor input
            reveal_type(copy.copy([x]))  # list(tensor input)
            reveal_type(torch.Size([1, 2]))  # tuple(1, 2)
            reveal_type(torch.device("cuda"))  # instance torch.device
            reveal_type(torch.finfo(x.dtype).min)  # float
            reveal_type(random.uniform(0, 1))  # float data
            reveal_type(logging.getLogger("a"))  # instance logging.Logger
            reveal_type(getattr(x, "shape", None))  # None | tuple[int shape]
            reveal_type(type(x))  # ?
    """)


def test_library_classes_are_instances() -> None:
    check("""
        import threading

        LOCK = threading.Lock()

        def f(x: Tensor):
            reveal_type(torch.Generator())  # instance torch.Generator
            reveal_type(torch.cuda.Stream())  # instance torch.cuda.Stream
            reveal_type(LOCK)  # instance threading.Lock
    """)


def test_methods_only_tensors_have_speak_for_an_unknown_receiver() -> None:
    check("""
        import config

        def f(x: Tensor):
            reveal_type(config.value().unsqueeze(0))  # tensor computed likely
            reveal_type(config.value().item())  # float
            reveal_type(config.value().squeeze())  # tensor computed possible
            reveal_type(config.value().run())  # ?
            reveal_type(config.value()[:, None])  # tensor computed likely
            reveal_type(config.value()[0])  # ?
    """)


def test_einops_returns_a_tensor() -> None:
    check("""
        from einops import rearrange

        def f(x: Tensor):
            reveal_type(rearrange(x, "b c -> c b"))  # tensor computed
    """)
