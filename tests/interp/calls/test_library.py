"""Library callables without a file of their own: small models, classes as instances, methods only tensors have."""

from __future__ import annotations

from tests.support.reveal import check


def test_small_models() -> None:
    check("""
        import copy, typing

        def f(x: Tensor):
            reveal_type(typing.cast(int, x))  # tensor input
            reveal_type(copy.copy([x]))  # list(tensor input)
            reveal_type(torch.Size([1, 2]))  # tuple(1, 2)
            reveal_type(torch.device("cuda"))  # instance torch.device
            reveal_type(torch.finfo(x.dtype).min)  # float
            reveal_type(random.uniform(0, 1))  # float drawn
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


def test_a_method_called_on_its_class_is_called_on_its_first_argument() -> None:
    check("""
        def f(x: Tensor):
            reveal_type(torch.Tensor.view(x.sin(), -1))  # tensor 1-d computed
            reveal_type(torch.Tensor.reshape(x.sum(), 1))  # tensor 1-d computed
            reveal_type(torch.Tensor.item(x.sum()))  # float
    """)


def test_einops_returns_a_tensor() -> None:
    check("""
        from einops import rearrange

        def f(x: Tensor):
            reveal_type(rearrange(x, "b c -> c b"))  # tensor computed
    """)
