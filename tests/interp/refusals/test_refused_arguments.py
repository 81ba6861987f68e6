"""Calls that Dynamo's own handlers refuse: each form beside one that is traced, and both under real TorchDynamo."""

from __future__ import annotations

import re

import pytest

from compilelint.events import Attribute, Call, Syntax
from tests.support.reveal import run

HEAD = """
from torch.nn.modules.utils import _pair
from torch._prims_common import ELEMENTWISE_TYPE_PROMOTION_KIND, elementwise_dtypes
from torch.fx.experimental.symbolic_shapes import guard_scalar

class Size:
    pass

class Plain(torch.Tensor):
    pass

class Own(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        return grad * 2 if grad.layout is torch.strided else grad

class Named(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.name()
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        return grad

class Scaled(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.scale = 2
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        return grad * ctx.scale if grad.dim() else grad

KIND = ELEMENTWISE_TYPE_PROMOTION_KIND.DEFAULT
"""
REFUSED = (
    ("nn.Parameter(w, requires_grad=x.any())", "GB0237"),
    ("torch.get_device_module('cpu', 'cpu')", "GB0248"),
    ("torch.get_device_module('abacus')", "GB0286"),
    ("torch.cuda.current_stream('nowhere:1')", "GB0249"),
    ("torch.accelerator.current_stream('cpu', 'cpu')", "GB0285"),
    ("torch._C._pop_torch_function_stack()", "GB0234"),
    ("guard_scalar(x)", "GB0360"),
    ("elementwise_dtypes(x, [x], type_promotion_kind=KIND)", "GB5195"),
    ("_pair(Size())", "GB0243"),
    ("torch.autograd.Variable._execution_engine.queue_callback(print)", "GB0166"),
    ("torch.add(x, x, out=torch.zeros(3, 2)[:, 1])", "GB0242"),
    ("torch.empty(0).set_(w.untyped_storage(), 0, (3,), (1,))", "GB0128"),
    ("torch.zeros(3).add_(2, x)", "GB0117"),
    ("Plain(3)", "GB0026"),
    ("Plain(x.shape[0])", "GB0026"),
    ("x.numpy().__version__", "GB0159"),
    ("getattr(x.numpy(), '__version__', 1)", "GB0159"),
    ("Own.apply(w)", "GB0102"),
    ("Named.apply(w)", "GB0139"),
)
TRACED = (
    "nn.Parameter(w, requires_grad=False)",
    "torch.get_device_module('cpu')",
    "elementwise_dtypes(x, 2, type_promotion_kind=KIND)",
    "_pair(3)",
    "torch.add(x, x, out=torch.empty(3))",
    "torch.sort(x, out=(torch.empty(3), torch.empty(3, dtype=torch.long)))",
    "torch.empty(0).set_(x)",
    "torch.zeros(3).add_(x, alpha=2)",
    "Plain(x)",
    "x.numpy().shape",
    "[x.sum, x.mean]",
    "Scaled.apply(w)",
)
AROUND = """
W = nn.Parameter(torch.randn(3))

def f(x: Tensor, rows: Tensor):
    w = W
    y = x * 2
    try:
        {}
    except (RuntimeError, TypeError, ValueError, AssertionError, AttributeError):
        pass
    return y
"""


def ids(expression: str) -> list[str]:
    """The ids that are reported of a function with the expression in it."""
    found = run(HEAD + AROUND.format(expression))
    asked = [event for event in found if event.site.context.function.partition(".")[0] in f"f {expression}"]
    outcomes = [event.outcome for event in asked if isinstance(event, (Attribute, Call, Syntax))]
    return [fact.gb_id or "" for fact in outcomes if fact is not None]


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
        torch.compile(names["f"], backend="eager", fullgraph=True)(torch.randn(3), torch.randn(4, 3))
    except RuntimeError as error:
        said = str(error)
    number = re.search(r"gb(\d{4})", said)
    assert (f"GB{number[1]}" if number else said) == gb_id
