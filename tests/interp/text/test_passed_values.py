"""Writes in a callee: into an input of the compiled function, or into a tensor that the caller made for it."""

from __future__ import annotations

import textwrap

import pytest

from compilelint.events import Unrecorded
from tests.support.reveal import run

PROGRAM = """
from somewhere import mask_of

def finite_(x: Tensor):
    x.masked_fill_(x < -1000, -1000)

@torch.compile(mode="reduce-overhead")
def f(tokens, states):
    bias = mask_of(tokens)
    {statement}
    {call}
    return bias
"""


@pytest.mark.parametrize(
    ("statement", "call", "written"),
    [
        ("bias = bias + mask_of(states)", "finite_(bias)", False),
        ("bias = bias + mask_of(states)", "finite_(x=bias)", False),
        ("pass", "finite_(bias * 2)", False),
        ("pass", "finite_(bias)", True),
        ("bias = bias + mask_of(states)", "finite_(states[0])", True),
    ],
    ids=["a-sum", "by-keyword", "in-the-call", "result-of-the-unknown", "item-of-an-argument"],
)
def test_what_the_caller_computes_is_no_input(statement: str, call: str, written: bool) -> None:
    events = run(PROGRAM.format(statement=statement, call=call))
    assert any(isinstance(one, Unrecorded) and one.how == "input-written" for one in events) is written


def test_arguments_of_a_method_are_counted_behind_its_object() -> None:
    program = """
    from somewhere import mask_of

    class Net(nn.Module):
        def finite(self, x: Tensor, other: Tensor):
            {written}.masked_fill_(x < -1000, -1000)

        @torch.compile(mode="reduce-overhead")
        def forward(self, tokens):
            bias = mask_of(tokens)
            bias = bias + 1
            self.finite(bias, mask_of(tokens))
            return bias
    """
    text = textwrap.dedent(program)
    hows = [[one.how for one in run(text.format(written=one)) if isinstance(one, Unrecorded)] for one in ("x", "other")]
    assert hows == [[], ["input-written"]]
