"""Modules that are made or changed in the region."""

from __future__ import annotations

from tests.support.worker_messages import check


def test_a_buffer_breaks_where_it_is_assigned_to_a_module_and_not_where_it_is_made() -> None:
    check("""
        class Holder:
            def __init__(self, b):
                self.b = b

        class Loss(nn.Module):
            def __init__(self, n):
                super().__init__()
                w = torch.ones(n)
                self.w = nn.Buffer(w)  # syntax module.attribute = nn.Buffer

            def forward(self, x):
                return x * self.w

        def f(x: Tensor):
            b = nn.Buffer(x * 2)
            held = Holder(b)
            held.again = nn.Buffer(x, persistent=False)
            kept = [nn.Buffer(torch.ones(3))]
            return Loss(3)(x) + b + held.again + kept[0]
    """)


def test_a_buffer_assigned_in_forward_by_another_name_or_perhaps() -> None:
    check("""
        from torch.nn import Buffer as Kept

        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.head = nn.Linear(3, 3)
                self.old = nn.Buffer(torch.ones(3))

            def forward(self, x: Tensor, flag: bool):
                new = Kept(x * 2)
                self.old = new  # syntax module.attribute = nn.Buffer
                self.head.scale: Tensor = nn.Buffer(x)  # syntax module.attribute = nn.Buffer
                self.perhaps = nn.Buffer(x) if flag else None  # syntax module.attribute = nn.Buffer
                return x
    """)


def test_what_is_stored_without_a_new_buffer_traces() -> None:
    check("""
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.old = nn.Buffer(torch.ones(3))

            def forward(self, x: Tensor):
                self.register_buffer("scale", x.detach())
                self.last = self.old
                self.old = self.old + 1
                return x * self.scale
    """)


def test_a_parameter_breaks_where_it_is_made() -> None:
    check("""
        def f(x: Tensor):
            w = nn.Parameter(x * 2)  # call torch.nn.Parameter
            return w + 1
    """)


def test_a_parameter_around_the_data_of_another_breaks_and_around_that_itself_does_not() -> None:
    check("""
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.weight = nn.Parameter(torch.ones(3))

            def forward(self, x: Tensor):
                a = nn.Parameter(self.weight)
                b = nn.Parameter(self.weight.data)  # call torch.nn.Parameter
                c = nn.Parameter(x.data, requires_grad=False)  # call torch.nn.Parameter
                return x * a * b * c
    """)
