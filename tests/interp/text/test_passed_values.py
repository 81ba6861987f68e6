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


CACHED = """
@torch.compile(mode="reduce-overhead")
def attend(x, cache):
    cache.add_(x)
    return cache * 2

cache, other = torch.zeros(4), torch.zeros(4)
{mark}
for _ in range(8):
    attend(torch.randn(4), cache)
"""


@pytest.mark.parametrize(
    ("mark", "written"),
    [
        pytest.param("torch._dynamo.mark_static_address(cache)", False, id="the address is marked"),
        pytest.param("torch._dynamo.mark_static_address(other)", True, id="that of another tensor is"),
        pytest.param("torch._dynamo.mark_dynamic(cache, 0)", True, id="something else is marked"),
        pytest.param("pass", True, id="nothing is"),
    ],
)
def test_an_argument_whose_address_is_static_may_be_written(mark: str, written: bool) -> None:
    events = run(CACHED.format(mark=mark))
    assert any(isinstance(one, Unrecorded) and one.how == "input-written" for one in events) is written
