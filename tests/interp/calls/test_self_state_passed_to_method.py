"""`interp.carried`: what one method of an object stored is known in the method that is called next."""

from __future__ import annotations

import pytest

from tests.support.reveal import check


@pytest.mark.parametrize(
    ("first", "belief"),
    [("self.prepare(x)", "tensor bool computed"), ("pass", "tensor bool input likely")],
)
def test_a_mask_that_was_stored_just_before_is_certainly_one(first: str, belief: str) -> None:
    check(f"""
        class Model(nn.Module):
            def forward(self, x: Tensor):
                {first}
                return self.chosen(x)

            def prepare(self, v):
                self.mask = v > 0

            def chosen(self, x):
                return self.deeper(x, self.mask)

            def deeper(self, x, given):
                reveal_type(self.mask)  # {belief}
                return x[self.mask]
    """)


def test_the_value_is_that_of_the_moment_of_the_call() -> None:
    check("""
        class Model(nn.Module):
            def forward(self, x: Tensor):
                self.width = 3
                first = self.read_once()
                self.width = "wide"
                reveal_type(self.read_once())  # 'wide'
                return x

            def read_once(self):
                return self.width
    """)


def test_an_object_that_is_no_module_keeps_its_state_too() -> None:
    check("""
        class Solver:
            def __init__(self, y):
                self.y = y

            def begin(self, t):
                self.t0 = t[0]

            def step(self, t):
                reveal_type(self.t0)  # tensor computed
                return self.y

            def run(self, t):
                self.begin(t)
                return self.step(t)

        def f(x: Tensor, t: Tensor):
            return Solver(x).run(t)
    """)


def test_another_object_of_the_class_keeps_its_own() -> None:
    check("""
        class Node:
            def __init__(self, child: "Node"):
                self.child = child
                self.kept = "built"

            def run(self, x):
                self.kept = 2
                return self.child.read()

            def read(self):
                return self.kept

        class Model(nn.Module):
            def forward(self, x: Tensor, node: Node):
                reveal_type(node.run(x))  # int | str
                return x
    """)
