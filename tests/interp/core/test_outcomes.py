"""Which form of a library call it is: evidence decides, and that an argument may be something is none."""

from __future__ import annotations

import pytest

from tests.support.reveal import run


def doubtful(program: str) -> list[int]:
    """The lines of calls that might break, as far as their arguments say."""
    return [
        event.site.location.span.line
        for event in run(program)
        if event.outcome is not None and (event.outcome.mixed or event.outcome.breaks)
    ]


@pytest.mark.parametrize("call", ["x.split(n)", "torch.arange(n)", "x.repeat(n, 1)", "x.topk(n)"])
def test_an_argument_of_which_nothing_is_known_is_no_evidence_of_a_tensor(call: str) -> None:
    assert doubtful(f"def f(x: Tensor, n):\n    return {call}\n") == []


@pytest.mark.parametrize("call", ["torch.arange(n)", "torch.zeros(n, 2)", "x.view(n, -1)"])
def test_a_tensor_computed_there_is_evidence(call: str) -> None:
    program = f"def f(x: Tensor, flag):\n    n = x.sum().long() if flag else 3\n    return {call}\n"
    assert len(doubtful(program)) == 1


def test_what_copy_is_given_is_mostly_a_container() -> None:
    assert len(doubtful("import copy\n\ndef f(x: Tensor, options):\n    return x, copy.copy(options)\n")) == 1
