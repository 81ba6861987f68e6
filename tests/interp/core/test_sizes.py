"""Symbols of sizes: where they are made, what carries them, and that none outlives what it stands for."""

from __future__ import annotations

import pytest

from compilelint.interp.driver.witness import Witness, revealed
from compilelint.values.words import describe
from tests.support.reveal import run

PREFIX = """
class Net(nn.Module):
    def __init__(self, dim, heads=8):
        super().__init__()
        self.heads = heads
        self.width = 64
        self.proj = nn.Linear(dim, dim)
        self.conv = nn.Conv2d(3, 8, 3)

    def count(self, x):
        self.seen = x.shape[0]

    def forward(self, x: Tensor, y: Tensor, k: int):
"""


def sizes(body: str) -> list[str]:
    """What is believed of each `reveal_type`: the sizes of a tensor as `[b, n]`, else the whole belief."""
    text = PREFIX + "\n".join(" " * 8 + line for line in body.strip().splitlines())
    found = [describe(value, whole=True) for event in run(text, interpreter=Witness) for value in revealed(event)]
    return [
        one[one.index("[") : one.index("]") + 1] if one.startswith("tensor") and "[" in one else one for one in found
    ]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        pytest.param("b, n, d = x.shape\nreveal_type(x)", "[b, n, d]", id="unpacked"),
        pytest.param("b, n, d = x.size()\nreveal_type(x)", "[b, n, d]", id="unpacked from a call"),
        pytest.param("b, n, d = x.shape\nreveal_type(x.size(1) * x.shape[-1])", "int shape = n*d", id="asked again"),
        pytest.param("b, n, d = x.shape\nreveal_type(d // self.heads)", "int shape = d/self.heads", id="a setting"),
        pytest.param(
            "b, n, d = x.shape\nreveal_type(n * self.width)", "int shape = n*self.width", id="one with a default"
        ),
        pytest.param("b, n, d = x.shape\nreveal_type(int(n) + k - 1)", "int shape = (k + n - 1)", id="an argument"),
        pytest.param("b, n, d = x.shape\nreveal_type(-n)", "int shape", id="the sign"),
        pytest.param("b, n, d = x.shape\nreveal_type(n / 2)", "float shape", id="no whole number"),
        pytest.param("b, n, d = x.shape\nreveal_type(d * self.seen)", "int shape", id="stored elsewhere too"),
        pytest.param("_, _, d = x.shape\nreveal_type(x)", "[x.0, x.1, d]", id="names that are none"),
        pytest.param("b, n, d = x.shape\nreveal_type((x + 1).relu().float())", "[b, n, d]", id="elementwise"),
        pytest.param("b, n, d = x.shape\nreveal_type(x[:, 0])", "[b, d]", id="an item"),
        pytest.param("b, n, d = x.shape\nreveal_type(x[:, None, :, 1:])", "[b, 1, n, ?]", id="slices"),
        pytest.param("b, n, d = x.shape\nreveal_type(x[..., 0])", "[b, n]", id="an ellipsis"),
        pytest.param("b, n, d = x.shape\nreveal_type(self.proj(x))", "[b, n, ?]", id="a layer"),
        pytest.param("b, c, h, w = x.shape\nreveal_type(self.conv(x))", "[b, ?, ?, ?]", id="a convolution"),
        pytest.param("b, n, d = x.shape\nreveal_type(x.mT @ x)", "[b, d, d]", id="a product"),
        pytest.param("b, n, d = x.shape\nreveal_type(torch.zeros(b, 4))", "[b, 4]", id="made"),
        pytest.param("b, n, d = x.shape\nreveal_type(torch.cat([x, x], dim=1))", "[b, 2*n, d]", id="joined"),
        pytest.param("b, n, d = x.shape\nreveal_type(x.chunk(3, dim=-1)[0])", "[b, n, d/3]", id="cut"),
        pytest.param("b, n, d = x.shape\nx.t_()\nreveal_type(x)", "tensor", id="changed in place"),
    ],
)
def test_what_carries_sizes(body: str, expected: str) -> None:
    (found,) = sizes(body)
    assert found.startswith(expected)
    assert expected != "tensor" or "[" not in found


def test_two_branches_keep_what_they_agree_on() -> None:
    both = "b, n, d = x.shape\nif k:\n    x = x.transpose(0, 1)\nelse:\n    x = x[:, 1:]\nreveal_type(x)"
    assert sizes(both) == ["[?, ?, d]"]


def test_what_is_measured_in_a_loop_is_measured_again() -> None:
    body = """
last = 1
for part in (x, y):
    b, n, d = part.shape
    reveal_type(n * last)
    last = n
reveal_type(n)
"""
    found = sizes(body)
    assert found[-1] == "int shape"
    assert all("n**2" not in one and "n*n" not in one for one in found)


def test_nor_does_a_symbol_stand_for_all_items_of_a_list() -> None:
    assert sizes("found = [part.shape[0] for part in (x, y)]\nreveal_type(found[0])") == ["int shape"]


def test_a_call_starts_with_symbols_of_its_own() -> None:
    text = """
    def rows(t: Tensor):
        b, n = t.shape
        return n

    class Net(nn.Module):
        def forward(self, x: Tensor, y: Tensor):
            reveal_type(rows(x))
            reveal_type(rows(x) * rows(y))
    """
    found = [describe(value, whole=True) for event in run(text, interpreter=Witness) for value in revealed(event)]
    assert found == ["int shape", "int shape"]


def test_an_inner_function_sees_the_numbers_without_their_symbols() -> None:
    body = "b, n, d = x.shape\ndef inner():\n    return n\nreveal_type(inner())"
    assert sizes(body) == ["int shape"]
