"""What is advised for constructs that Dynamo does not trace: by the construct, not by the rule."""

from __future__ import annotations

import pytest

from compilelint.checks import rulebook
from compilelint.torchfacts import load
from tests.support.reveal import run

_CHECKPOINT = """\
import torch
from torch import nn


def run(function, inputs, params):
    args = tuple(inputs) + tuple(params)
    print("here")
    return function(*args[:1])


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(2, 2)

    @torch.compile
    def forward(self, x):
        return run(self.layer, (x,), PARAMS)
"""
_CLASS = """\
import torch


@torch.compile
def scaled(x):
    class Scale:
        value = 2
    return x * Scale.value
"""


@pytest.mark.parametrize(
    ("text", "helps"),
    [
        pytest.param(
            _CHECKPOINT.replace("PARAMS", "self.parameters()"),
            [
                "pass a tuple of it (`tuple(...)`), or remove the break inside the call: either ends this",
                "pass a tuple or list in its place, and iterate over that",
            ],
            id="a generator on the stack at a break",
        ),
        pytest.param(_CHECKPOINT.replace("PARAMS", "tuple(self.parameters())"), [], id="as advised"),
        pytest.param(_CLASS, ["define the class at module level"], id="a class statement"),
    ],
)
def test_the_advice_is_of_the_construct(text: str, helps: list[str]) -> None:
    book, facts = rulebook(), load("2.13.0")
    found = [one for event in run(text) for one in book.findings_for(event, facts) if one.rule.code == "CL613"]
    assert [one.help.partition("; torch hints")[0] for one in found] == helps
