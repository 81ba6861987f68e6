"""Handles of hooks on tensors that the region computes: where they may lie."""

from __future__ import annotations

from tests.support.worker_messages import check


def test_a_handle_leaves_in_a_global_on_an_object_or_returned() -> None:
    check("""
        HANDLE = None

        def in_global(x: Tensor):
            global HANDLE
            y = x * 2
            HANDLE = y.register_hook(torch.neg)  # syntax global = handle of a hook
            return y

        class Model(nn.Module):
            def forward(self, x: Tensor):
                y = x * 2
                self.handle = y.register_hook(torch.neg)
                return y  # syntax attribute = handle of a hook

        def returned(x: Tensor):
            y = x * 2
            return y, y.register_hook(torch.neg)  # syntax the handle of a hook that is returned
    """)


def test_in_a_local_name_and_of_a_hook_on_an_input_it_is_fine() -> None:
    check("""
        def local(x: Tensor):
            y = x * 2
            handle = y.register_hook(torch.neg)
            return y

        def of_input(x: Tensor):
            return x + 1, x.register_hook(torch.neg)
    """)


def test_no_handle_is_stored_in_a_global() -> None:
    """Measured on 2.13 and 2.15, of an input and of a parameter too."""
    check("""
        HANDLE = None

        def f(x: Tensor):
            global HANDLE
            HANDLE = x.register_hook(lambda g: g)  # syntax global = handle of a hook
            return x * 2

        def g(x: Tensor):
            return x * 2, x.register_hook(lambda g: g)
    """)
