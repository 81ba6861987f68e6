"""The words for what one rule of Dynamo refuses, and what such a call costs."""

from __future__ import annotations

import pytest

from compilelint.checks import rulebook
from compilelint.checks.refusal_words import WORDS, words_of
from compilelint.model import Finding
from compilelint.torchfacts import load
from tests.support.reveal import run

BOOK, FACTS = rulebook(), load("2.13.0")


def findings(source: str) -> list[Finding]:
    return [one for event in run(source) for one in BOOK.findings_for(event, FACTS) if one.rule.code == "CL690"]


def test_the_words_say_what_the_program_did() -> None:
    (found,) = findings("def f(x: Tensor): return torch.cond(x.sum() > 0, lambda v: v, lambda v: v + 1, (x,))")
    assert found.message == "`torch.cond()` calls a function that gives back an input, or a view of one"
    assert found.why.endswith("The call fails, compiled or not.")
    assert found.help == "return a `.clone()`"


def test_a_prefix_that_says_nothing_is_left_out() -> None:
    source = """
        from torch._higher_order_ops.scan import scan
        def f(x: Tensor):
            return scan(lambda c, v: c + v, torch.zeros(3), x)
    """
    assert [one.message for one in findings(source)] == ["the function of `scan()` gives back no pair"]


@pytest.mark.parametrize("gb_id", sorted(WORDS))
def test_every_id_is_one_of_the_registry_and_its_words_are_whole(gb_id: str) -> None:
    assert FACTS.graph_break(gb_id) is not None or load("2.15.0").graph_break(gb_id) is not None
    words = words_of(gb_id)
    assert words is not None
    assert words.why.endswith(".")
    assert not words.help.endswith(".")


def test_ids_that_mean_the_same_have_the_same_words() -> None:
    assert words_of("GB1075") == words_of("GB0041")
    assert words_of("GB0001") is None
    assert words_of(None) is None


@pytest.mark.parametrize(
    ("body", "message", "help_"),
    [
        (
            "return torch.where((x > 0).byte(), x, x)",
            "`torch.where()` chooses by a tensor of integers",
            "make it bools: `mask.bool()`",
        ),
        (
            "return Own.again(x)",
            "`super()` is called in an autograd function",
            "name the parent: `Parent.forward(ctx, x)`",
        ),
    ],
)
def test_what_fails_is_an_error_and_no_break(body: str, message: str, help_: str) -> None:
    source = f"""
        class Own(torch.autograd.Function):
            @classmethod
            def again(cls, x):
                return super().apply(x)
        def f(x: Tensor): {body}
    """
    (found,) = findings(source)
    assert (found.message, found.help) == (message, help_)
    assert found.fails_to_compile
    assert not found.ends_graph
