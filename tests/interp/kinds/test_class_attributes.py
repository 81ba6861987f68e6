"""What an attribute of `self` holds by all that its class, and the functions around it, store there and put into it."""

from __future__ import annotations

import pytest

from tests.support.reveal import check

FILLED = """
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.kept = {start}

        def put(self, x: Tensor, n: int):
            {filling}

        def forward(self, x: Tensor):
            reveal_type({read})  # {holds}
"""


@pytest.mark.parametrize(
    ("start", "filling", "read", "holds"),
    [
        pytest.param("{}", 'self.kept["m"] = x > n', 'self.kept["m"]', "tensor bool input likely", id="item"),
        pytest.param("dict()", "self.kept.update(m=x > n)", 'self.kept["m"]', "tensor bool input likely", id="update"),
        pytest.param(
            "{}", 'self.kept.setdefault("m", x > n)', 'self.kept["m"]', "tensor bool input likely", id="default"
        ),
        pytest.param("[]", "self.kept.append(x > n)", "self.kept[-1]", "tensor bool input likely", id="list"),
        pytest.param('{"n": 2}', 'self.kept["m"] = x > n', 'self.kept["n"]', "2", id="another key stays what it was"),
        pytest.param('{"m": 2}', 'self.kept["m"] = n', 'self.kept["m"]', "int", id="a number of either"),
        pytest.param("{}", 'self.kept["m"] = 3', 'self.kept["m"]', "int", id="a number by its type"),
        pytest.param("{}", "self.kept[n] = x > n", 'self.kept["m"]', "tensor bool input likely", id="any key"),
        pytest.param("{}", 'self.kept["m"] = x > n', '"m" in self.kept', "bool", id="need not be there"),
        pytest.param("{}", 'kept = {}; kept["m"] = x', '"m" in self.kept', "False", id="a variable of that name"),
        pytest.param("{}", 'self.other["m"] = x', '"m" in self.kept', "False", id="another attribute"),
    ],
)
def test_what_methods_put_into_a_container(start: str, filling: str, read: str, holds: str) -> None:
    check(FILLED.format(start=start, filling=filling, read=read, holds=holds))


STORED = """
    class Kept:
        def __init__(self):
            self.mask = {start}

    def fill({taken}, x: Tensor):
        {storing}

    def use(kept: Kept):
        reveal_type(kept.mask)  # {holds}
"""


@pytest.mark.parametrize(
    ("start", "taken", "storing", "holds"),
    [
        pytest.param("None", "kept: Kept", "kept.mask = x > 0", "None | tensor bool input likely", id="by annotation"),
        pytest.param("None", "other", "kept = Kept(); kept.mask = x > 0", "None | tensor bool input likely", id="made"),
        pytest.param("None", "kept: Kept", "kept.mask = 3", "None | int", id="a number by its type"),
        pytest.param("False", "kept: Kept", "kept.mask = x > 0", "bool", id="the class says what it holds"),
        pytest.param("None", "kept", "kept.mask = x > 0", "None", id="an object of any class"),
    ],
)
def test_what_functions_store_on_an_object(start: str, taken: str, storing: str, holds: str) -> None:
    check(STORED.format(start=start, taken=taken, storing=storing, holds=holds), roots=("all",))


def test_a_field_without_a_value_holds_what_a_function_stores() -> None:
    check(
        """
        from dataclasses import dataclass
        from typing import Any

        @dataclass
        class Kept:
            best: Any = None
            count: int = 0

        def track(kept: Kept, loss: Tensor):
            kept.best = loss.min()
            kept.count = loss.mean()

        def use(kept: Kept):
            reveal_type(kept.best)  # None | tensor 0-d input likely
            reveal_type(kept.count)  # int
        """,
        roots=("all",),
    )


@pytest.mark.parametrize(
    ("used", "holds"),
    [
        pytest.param("self.c.new_zeros(3)", "tensor input likely", id="only tensors of torch have it"),
        pytest.param("self.c.reshape(3)", "?", id="arrays have it too"),
        pytest.param("self.d.new_zeros(3)", "?", id="of another attribute"),
    ],
)
def test_an_attribute_that_is_used_like_a_tensor(used: str, holds: str) -> None:
    check(f"""
        class Net(nn.Module):
            def __init__(self, given):
                super().__init__()
                self.c = given.clone()
                self.d = 3

            def more(self):
                return {used}

            def forward(self, x: Tensor):
                reveal_type(self.c)  # {holds}
    """)


def test_the_state_of_an_optimizer_under_a_text() -> None:
    check(
        """
        class Own(torch.optim.Optimizer):
            def step(self, closure=None):
                if "k" not in self.state:
                    self.state["k"] = torch.tensor([0])
                reveal_type(self.state["k"])  # dict(...: ?) | tensor int 1-d input likely
                for group in self.param_groups:
                    for p in group["params"]:
                        reveal_type(self.state[p])  # dict(...: ?)
        """,
        roots=("all",),
    )
