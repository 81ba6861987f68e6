"""Layers with hooks for the backward pass, as torch 2.13 and 2.15 were seen to treat them."""

from __future__ import annotations

from tests.support.worker_messages import check


def test_a_layer_that_its_owner_hooked() -> None:
    check("""
        class Watched(nn.Module):
            def __init__(self):
                super().__init__()
                self.body = nn.Linear(3, 3)
                self.head = nn.Linear(3, 3)
                self.body.register_full_backward_hook(self.note)

            def note(self, module, grad_input, grad_output):
                return None

            def forward(self, x):
                y = self.body(x)  # syntax call of a layer with a backward hook
                return self.head(y)

        class Inherits(Watched):
            def forward(self, x):
                return self.body(x)  # syntax call of a layer with a backward hook
    """)


def test_every_item_of_a_list_and_one() -> None:
    check("""
        class Stack(nn.Module):
            def __init__(self):
                super().__init__()
                self.blocks = nn.ModuleList([nn.Linear(3, 3) for _ in range(2)])
                self.heads = nn.ModuleList([nn.Linear(3, 3) for _ in range(2)])
                for block in self.blocks:
                    block.register_full_backward_pre_hook(print)
                self.heads[0].register_full_backward_hook(print)

            def forward(self, x):
                x = self.blocks[0](x)  # syntax call of a layer with a backward hook
                return self.heads[1](x)  # syntax call of a layer with a backward hook possible
    """)


def test_what_is_no_such_layer() -> None:
    check("""
        class Other(nn.Module):
            def __init__(self, debug=False):
                super().__init__()
                self.body = nn.Linear(3, 3)
                self.tail = nn.Linear(3, 3)
                self.register_full_backward_hook(print)
                self.body.register_forward_hook(print)
                self.body.weight.register_hook(print)
                if debug:
                    self.tail.register_full_backward_hook(print)

            def forward(self, x):
                return self.tail(self.body(x))
    """)
