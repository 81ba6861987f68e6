"""Handles of hooks that the region registers: used, stored, or left alone. Each program was run under torch 2.13."""

from __future__ import annotations

from tests.support.worker_messages import check


def test_a_handle_that_is_stored_or_removed() -> None:
    check("""
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.proj = nn.Linear(3, 3)
                self.hooks = []

            def _hook(self, module, given, output):
                self.seen = output

            def forward(self, x):
                handle = self.proj.register_forward_hook(self._hook)  # call torch.nn.Module.register_forward_hook
                y = self.proj(x)
                handle.remove()  # syntax handle.remove()
                return y

        class Keeps(Net):
            def forward(self, x):
                handle = self.proj.register_forward_hook(self._hook)  # call torch.nn.Module.register_forward_hook
                self.hooks.append(handle)
                y = self.proj(x)
                return y  # syntax container of handles of hooks

        class Stores(Net):
            def forward(self, x):
                made = self.proj.register_forward_pre_hook(print)  # call torch.nn.Module.register_forward_pre_hook
                self.made = made  # syntax attribute = handle of a hook
                return self.proj(x)
    """)


def test_a_handle_that_is_left_alone_and_the_handle_of_a_tensor() -> None:
    check("""
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.proj = nn.Linear(3, 3)
                self.hooks = []
                self.early = self.proj.register_forward_hook(print)
                self.hooks.append(self.early)

            def forward(self, x):
                left = self.proj.register_forward_hook(print)  # call torch.nn.Module.register_forward_hook
                y = self.proj(x)
                handle = y.register_hook(print)
                self.hooks.append(y)
                return y
    """)


def test_what_registers_a_forward_hook_is_a_module() -> None:
    check("""
        class Net(nn.Module):
            def __init__(self, inner, layer=None):
                super().__init__()
                self.inner = inner
                self.layer = layer
                self.hooks = []

            def forward(self, x):
                layer = self.layer
                if perhaps():
                    layer = getattr(self.inner, "block")
                handle = layer.register_forward_hook(print)  # call torch.nn.Module.register_forward_hook likely
                self.hooks.append(handle)
                bus = self.inner.events
                self.hooks.append(bus.register_hook(print))
                return self.inner(x)  # syntax container of handles of hooks likely
    """)
