"""Calls of higher-order operators: what they refuse of their arguments and functions, beside what they take.

The same expressions are run under real TorchDynamo.
"""

from __future__ import annotations

import re

import pytest

from compilelint.events import Call
from tests.support.reveal import run
from tests.support.worker_messages import check

HEAD = """
from torch._higher_order_ops.while_loop import while_loop
from torch._higher_order_ops import scan
from torch._higher_order_ops.map import map as map_rows
from torch._higher_order_ops.strict_mode import strict_mode
from torch._higher_order_ops.hints_wrap import hints_wrapper
from torch._higher_order_ops.out_dtype import out_dtype

class Gate:
    pass

class Adds:
    def __call__(self, v):
        return v + 1

W = nn.Parameter(torch.randn(3))
PLUS = lambda v: v + 1
region = torch.compiler.nested_compile_region(Adds())
region_of_layer = torch.compiler.nested_compile_region(nn.Linear(3, 3))
"""
REFUSED = (
    ("torch.cond(Gate(), PLUS, PLUS, (x,))", "GB0310"),
    ("torch.cond([], PLUS, PLUS, (x,))", "GB0310"),
    ("torch.cond(x.sum() > 0, PLUS, PLUS, x)", "GB0311"),
    ("torch.cond(x.sum() > 0, PLUS, PLUS, {'v': x})", "GB0311"),
    ("torch.cond(x.sum() > 0, lambda v, g: v + 1, lambda v, g: v * 2, (x, torch.sin))", "GB0312"),
    ("torch.cond(x.sum() > 0, PLUS, 3, (x,))", "GB0302"),
    ("torch.cond(x.sum() > 0, PLUS, lambda v: v, (x,))", "GB0040"),
    ("torch.cond(x.sum() > 0, PLUS, nn.Identity(), (x,))", "GB0040"),
    ("torch.cond(x.sum() > 0, lambda v: v.view(3, 1), lambda v: v.view(3, 1) + 1, (x,))", "GB0040"),
    ("torch.cond(x.sum() > 0, PLUS, lambda v: W, (x,))", "GB0040"),
    ("torch.cond(x.sum() > 0, PLUS, lambda v: y, (x,))", "GB0040"),
    ("torch.cond(x.sum() > 0, lambda v: v.add_(1) * 2, PLUS, (x,))", "GB0041"),
    ("torch.cond(x.sum() > 0, lambda v: torch.relu_(v) * 2, PLUS, (x,))", "GB0041"),
    ("torch.cond(x.sum() > 0, lambda v: (v + 1, 'a'), lambda v: (v + 1, 'a'), (x,))", "GB0314"),
    ("torch.cond(x.sum() > 0, lambda v: 2.0, lambda v: 3.0, (x,))", "GB0314"),
    ("torch.cond(x.sum() > 0, lambda v: Gate(), lambda v: Gate(), (x,))", "GB0314"),
    ("torch.cond(x.sum() > 0, lambda v: (v + 1, None), lambda v: (v - 1, None), (x,))", "GB0350"),
    ("torch.cond(x.sum() > 0, lambda v: (v + 1,), lambda v: [v - 1], (x,))", "GB0313"),
    ("torch.cond(x.sum() > 0, lambda v: {'a': v + 1, 'b': v * 2}, lambda v: {'a': v - 1}, (x,))", "GB0313"),
    ("while_loop(lambda v: True, lambda v: (v / 2,), (x,))", "GB0339"),
    ("while_loop(lambda v: v.sum(), lambda v: (v - 2,), (x,))", "GB0308"),
    ("while_loop(lambda v: v * 2, lambda v: (v - 2,), (x,))", "GB0308"),
    ("while_loop(lambda a, b: a.sum() > 0, lambda a, b: (a - 2, b), (x, y))", "GB0040"),
    ("while_loop(lambda a, b: a, lambda a, b: (b.sum() > 100, b + 1), (x.sum() < 100, x))", "GB0040"),
    ("scan(lambda c, v: (c, v + c), torch.zeros(3), rows)", "GB0040"),
    ("scan(repeats, torch.zeros(3), rows)", "GB0040"),
    ("scan(lambda c, v: c + v, torch.zeros(3), rows)", "GB0343"),
    ("scan(lambda c, v: (c + v, v + 1, v + 2), torch.zeros(3), rows)", "GB0343"),
    ("scan(lambda c, v: (c + v, 2.0), torch.zeros(3), rows)", "GB0314"),
    ("map_rows(lambda v: v, rows)", "GB0040"),
    ("map_rows(lambda v: v.add_(1) * 2, rows)", "GB0041"),
    ("map_rows(lambda v, k: k.add_(1) * v, rows, torch.zeros(3))", "GB0041"),
    ("map_rows(lambda v: (v + 1, 'a'), rows)", "GB0314"),
    ("strict_mode(lambda v: v[0] + 1, ((x,),))", "GB0345"),
    ("hints_wrapper(lambda v: v + 1, (x,), {})", "GB0335"),
    ("hints_wrapper(lambda v: v + 1, x, {}, hints={})", "GB0335"),
    ("region(x)", "GB0042"),
)
TRACED = (
    "torch.cond(x.sum() > 0, PLUS, lambda v: v.clone(), (x,))",
    "torch.cond(x.sum() > 0, PLUS, lambda v: v.clone().add_(1), (x,))",
    "torch.cond(x.sum() > 0, PLUS, lambda v: W + v, (x,))",
    "torch.cond(x.sum() > 0, lambda v, k: v + k, lambda v, k: v - k, (x, 2.5))",
    "torch.cond(x.sum() > 0, lambda v: (v + 1,), lambda v: v - 1, (x,))",
    "torch.cond(x.sum() > 0, lambda v: 2, lambda v: 3, (x,))",
    "torch.cond(x.sum() > 0, lambda v: v['a'] + 1, lambda v: v['a'] - 1, ({'a': x},))",
    "torch.cond(x.shape[0] > 2, lambda v: v, PLUS, (x,))",
    "torch.cond(True, lambda v: v, PLUS, (x,))",
    "torch.cond(pred=x.sum() > 0, true_fn=PLUS, false_fn=lambda v: v - 1, operands=(x,))",
    "quiet(x)",
    "quiet_within(x)",
    "while_loop(lambda v: False, lambda v: (v - 2,), (x,))",
    "while_loop(lambda v: v.sum() > 0, lambda v: (v - 2,), (x,))",
    "scan(lambda c, v: [c + v, v + 1], torch.zeros(3), rows)",
    "map_rows(lambda v: (v + 1, None), rows)",
    "map_rows(lambda v, k: v * k, rows, torch.zeros(3))",
    "strict_mode(lambda v: v + 1, (x,))",
    "hints_wrapper(lambda v: v + 1, (x,), {}, hints={'a': 1})",
    "region_of_layer(x)",
)
AROUND = """
@torch.no_grad()
def quiet(x: Tensor):
    return torch.cond(x.sum() > 0, lambda v: v.add_(1) * 2, lambda v: v, (x,))

def quiet_within(x: Tensor):
    with torch.no_grad():
        return torch.cond(x.sum() > 0, lambda v: v.add_(1) * 2, lambda v: v, (x,))

def f(x: Tensor, rows: Tensor):
    y = x * 2
    def repeats(c, v):
        t = c + v
        return t, t
    return {}
"""


def ids(expression: str) -> list[str]:
    """The ids that are reported of a function that returns the expression."""
    found = run(HEAD + AROUND.format(expression))
    return [event.outcome.gb_id or "" for event in found if isinstance(event, Call) and event.outcome is not None]


@pytest.mark.parametrize(("expression", "gb_id"), REFUSED)
def test_refused(expression: str, gb_id: str) -> None:
    assert gb_id in ids(expression)


@pytest.mark.parametrize("expression", TRACED)
def test_traced(expression: str) -> None:
    assert not any(ids(expression))


@pytest.mark.dynamo
@pytest.mark.parametrize(("expression", "gb_id"), [*REFUSED, *((one, "") for one in TRACED)])
def test_so_does_the_installed_torch(expression: str, gb_id: str) -> None:
    import torch

    names: dict[str, object] = {}
    exec("import torch\nfrom torch import Tensor, nn\n" + HEAD + AROUND.format(expression), names)
    torch._dynamo.reset()
    said = ""
    try:
        torch.compile(names["f"], backend="eager")(torch.randn(3), torch.randn(4, 3))
    except RuntimeError as error:
        said = str(error)
        assert gb_id, said
    number = re.search(r"gb(\d{4})", said)
    assert (f"GB{number[1]}" if number else "") == gb_id, said


def test_an_operator_with_a_call_of_its_own() -> None:
    check("""
        from torch._ops import HigherOrderOperator

        class Twice(HigherOrderOperator):
            def __init__(self):
                super().__init__("twice")

            def __call__(self, f, x):
                return super().__call__(f, x)  # call Twice

        class Plain:
            def __call__(self, f, x):
                return f(f(x))

        TWICE = Twice()
        PLAIN = Plain()

        def f(x: Tensor):
            return TWICE(torch.sin, x)  # call Twice

        def g(x: Tensor):
            return PLAIN(torch.sin, x)
    """)
