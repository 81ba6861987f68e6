"""`id` and `hash`: a table of uses, and what Dynamo (torch 2.13) was seen to do with each."""

from __future__ import annotations

import pytest

from compilelint.torchfacts import load
from tests.support import reveal
from tests.support.worker_messages import check

ENDS = (
    ("y = x * (id([x]) % 2)", "syntax % of an address"),
    ("y = x * (-id([x]) < 0)", "syntax - of an address"),
    ("y = x * (int(id({})) > 0)", "syntax int of an address"),
    ("y = x * (hash(x) % 3)", "syntax % of an address"),
    ("y = x * (id(x + 1) % 2)", "syntax % of an address"),
    ("y = x if hash(x) < 3 else x + 1", "syntax < of an address"),
    ("y = int(x.data_ptr())", "syntax int of an address"),
    ("y = int((x + 1).data_ptr())", "syntax int of an address"),
)
PASSES = (
    "y = x.data_ptr() % 16",
    "y = int(x.numel())",
    "y = x * (id(x) + 1 > 0)",
    "y = x * (id(torch.sin) % 2)",
    "y = x if id([x]) == 3 else x + 1",
    "y = x if id([x]) else x + 1",
    "y = {id([x]): 1}",
    "y = f'{id([x])}'",
    "y = x * (hash((1, 2)) % 3)",
    "y = x * (hash('a') % 3)",
    "y = x if hash(x) == hash(x) else x + 1",
)


@pytest.mark.parametrize(("statement", "event"), ENDS)
def test_what_ends_the_graph(statement: str, event: str) -> None:
    check(f"""
        def f(x: Tensor):
            {statement}  # {event}
    """)


@pytest.mark.parametrize("statement", PASSES)
def test_what_passes(statement: str) -> None:
    check(f"""
        def f(x: Tensor):
            {statement}
    """)


def test_a_local_name_is_looked_through_and_a_parameter_is_not() -> None:
    check("""
        def f(x: Tensor):
            rows = [x]
            return x * (id(rows) % 2)  # syntax % of an address

        def h(x: Tensor):
            a, b = [x], [x + 1]
            return x if id(a) < id(b) else x + 1  # syntax < of an address

        def g(x: Tensor, rows):
            return x * (id(rows) % 2)
    """)


def test_it_is_returned_only_where_the_region_did_not_make_what_it_is_of() -> None:
    check("""
        def f(x: Tensor):
            rows = [x]
            return x + 1, id(rows)  # syntax an address that is returned

        def g(x: Tensor):
            return x + 1, id(x)

        def h(x: Tensor):
            return x + 1, hash(x)
    """)


@pytest.mark.parametrize(
    ("version", "ids"),
    [
        pytest.param("2.13", [], id="the address while Dynamo traces decides"),
        pytest.param("2.15", ["GB9118"], id="refused"),
    ],
)
@pytest.mark.parametrize("pointer", ["x.data_ptr()", "(x + 1).data_ptr()"])
def test_the_truth_of_an_address(version: str, ids: list[str], pointer: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reveal, "facts", lambda: load(version))
    found = reveal.run(f"""
from torch import Tensor
def f(x: Tensor):
    if {pointer}:
        return x * 2
    return x
""")
    assert [event.outcome.gb_id for event in found if event.breaks and event.outcome is not None] == ids


def test_the_truth_of_a_number_that_is_computed_from_one_is_read() -> None:
    check("""
        def f(x: Tensor):
            if x.data_ptr() % 16:  # branch if
                return x * 2
            return x
    """)
