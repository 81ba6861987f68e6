"""Methods of values of which nothing is known: those that only tensors have make one, more or less surely."""

from __future__ import annotations

import pytest

from compilelint.events import Call
from compilelint.model import Confidence
from compilelint.values import Tensor
from tests.support.reveal import check, run

LIKELY, POSSIBLE = Confidence.LIKELY, Confidence.POSSIBLE


def sure(line: str) -> list[Confidence]:
    """How far the receiver of a break is believed to be a tensor."""
    text = f"@torch.compile\ndef f(model, t: Tensor):\n    u = model.made\n    {line}\n    return t\n"
    found = [event for event in run(text) if isinstance(event, Call) and event.breaks]
    return [event.receiver.confidence for event in found if isinstance(event.receiver, Tensor)]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        pytest.param("u.item()", [LIKELY], id="item, which only tensors have"),
        pytest.param("u.nonzero()", [LIKELY], id="nonzero"),
        pytest.param("u.tolist()", [POSSIBLE], id="tolist, which arrays have too"),
        pytest.param("u.read()", [], id="any other method"),
        pytest.param("u.append(3)", [], id="a method of lists"),
    ],
)
def test_a_method_of_something_unknown(line: str, expected: list[Confidence]) -> None:
    assert sure(line) == expected


def test_what_is_returned_by_a_method_that_only_tensors_have() -> None:
    check("""
        @torch.compile
        def f(model, t: Tensor):
            u = model.made
            reveal_type(u.unsqueeze(0))  # tensor computed likely
            reveal_type(u.detach())  # tensor computed possible
            reveal_type(u.any())  # tensor bool 0-d computed possible
            reveal_type(u.encode())  # ?
    """)


@pytest.mark.parametrize(
    ("line", "breaks"),
    [
        pytest.param("t.unsqueeze_(0)", True, id="an argument is reshaped in place"),
        pytest.param("(t + 1).unsqueeze_(0)", False, id="what is computed here is"),
        pytest.param("t.to_dense()", False, id="dense already"),
        pytest.param("t.to_sparse()", True, id="made sparse"),
        pytest.param("t.is_floating_point()", False, id="a question that is answered while tracing"),
        pytest.param("torch._assert(t.sum() > 0, 'a')", True, id="an assertion on data"),
        pytest.param("torch._assert(t.shape[0] > 0, 'a')", False, id="an assertion on sizes"),
        pytest.param("torch.nested.nested_tensor([t])", True, id="a nested tensor of old"),
        pytest.param("torch.nested.nested_tensor([t], layout=torch.jagged)", False, id="a jagged one"),
        pytest.param("torch._check_tensor_all(t > 0)", True, id="a private check of data"),
        pytest.param("logging.getLogger('a').info('a')", True, id="a logger speaks"),
    ],
)
def test_where_a_graph_ends(line: str, breaks: bool) -> None:
    text = f"def f(t: Tensor):\n    {line}\n    return t\n"
    assert any(event.breaks for event in run(text)) is breaks


def test_a_disabled_function_ends_the_graph_and_gives_what_it_promises() -> None:
    check("""
        @torch.compiler.disable
        def off(x) -> Tensor:
            return x

        @torch.compile
        def f(x: Tensor):
            reveal_type(off(x))  # tensor input likely
    """)
