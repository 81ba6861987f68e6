"""What the first layer of a model takes, read from its text; `tests/cli/test_init.py` runs the guesses under torch."""

from __future__ import annotations

import pytest

from compilelint.survey.top_models import models
from tests.support.reveal import program_of, sources


def guess(init: str, before: str = "", parameters: str = "") -> str | None:
    """The input guessed for a model with this constructor; None where there is no guess."""
    body = "".join(f"        {line}\n" for line in init.splitlines())
    text = (
        f"{before}class Net(nn.Module):\n    def __init__(self{parameters}):\n        super().__init__()\n{body}"
        "    def forward(self, x): return x\n"
    )
    found = [one for one in models(*program_of(sources(text))) if one.reference == "app:Net"]
    return found[0].guess.text if found[0].guess else None


@pytest.mark.parametrize(
    ("init", "text"),
    [
        ("self.c = nn.Conv2d(3, 8, 3)", "2x3x64x64"),
        ("self.c = nn.Conv2d(in_channels=1, out_channels=8, kernel_size=3)", "2x1x64x64"),
        ("self.c = nn.Conv1d(2, 8, 3)", "2x2x64"),
        ("self.c = nn.Conv3d(1, 8, 3)", "2x1x16x16x16"),
        ("self.e = nn.Embedding(500, 16)\nself.f = nn.Linear(16, 2)", "2x8:int64<500"),
        ("self.f = nn.Linear(28 * 28, 10)", "2x784"),
        ("self.r = nn.LSTM(input_size=5, hidden_size=8)", "2x8x5"),
        ("self.t = nn.TransformerEncoderLayer(32, 4)", "2x8x32"),
        ("self.g = nn.ConvTranspose2d(100, 64, 4, 1, 0)", "2x100x1x1"),
        ("self.g = nn.ConvTranspose2d(16, 8, 2, stride=2)", "2x16x8x8"),
        ("self.n = nn.Sequential(nn.ReLU(), nn.Conv2d(3, 8, 3), nn.Linear(9, 9))", "2x3x64x64"),
    ],
)
def test_the_first_layer_says_what_goes_in(init: str, text: str) -> None:
    assert guess(init) == text


@pytest.mark.parametrize(
    ("init", "side"),
    [
        pytest.param(
            "self.a = nn.Conv2d(1, 32, 3)\nself.b = nn.Conv2d(32, 64, 3)\nself.f = nn.Linear(9216, 10)", 28,
            id="one pooling behind both",
        ),
        pytest.param(
            "self.a = nn.Conv2d(1, 6, 5)\nself.b = nn.Conv2d(6, 16, 5)\nself.f = nn.Linear(16 * 5 * 5, 10)", 32,
            id="a pooling behind each",
        ),
        pytest.param(
            "self.a = nn.Conv2d(3, 8, 3, padding=1)\nself.p = nn.AdaptiveAvgPool2d(1)\nself.f = nn.Linear(8, 10)", 64,
            id="any size will do",
        ),
    ],
)  # fmt: skip
def test_a_linear_layer_behind_convolutions_fixes_the_size(init: str, side: int) -> None:
    assert (guess(init) or "").endswith(f"x{side}x{side}")


def test_numbers_come_from_defaults_constants_and_what_is_handed_on() -> None:
    block = "class Block(nn.Module):\n    def __init__(self, c, out=4):\n        self.c = nn.Conv2d(c, out, 3)\n"
    assert guess("self.f = nn.Linear(width, 1)", parameters=", width=12") == "2x12"
    assert guess("self.f = nn.Linear(SIZE, 1)", "SIZE = 7\n") == "2x7"
    assert guess("self.f = nn.Linear(n, 1)", "SIZE = 7\n", ", n=SIZE") == "2x7"
    assert guess("self.width = width\nself.f = nn.Linear(self.width, 1)", parameters=", width=9") == "2x9"
    assert guess("self.b = Block(5)", block) == "2x5x64x64"


@pytest.mark.parametrize(
    "init",
    [
        pytest.param("self.f = nn.Linear(size(), 1)", id="a number that only a run knows"),
        pytest.param("self.n = nn.LayerNorm(3)", id="no layer with an input of its own"),
        pytest.param("self.f = nn.Linear(True, 1)", id="no number"),
        pytest.param("self.f = Linear(3, 1)", id="not torch's"),
    ],
)
def test_where_nothing_is_known_nothing_is_guessed(init: str) -> None:
    assert guess(init) is None
