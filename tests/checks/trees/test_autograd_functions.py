"""Custom autograd functions: the contract of forward and backward, read off their source."""

from __future__ import annotations

import textwrap

import pytest

from compilelint.model import Confidence
from tests.support.survey_events import said

CERTAIN, LIKELY, POSSIBLE = Confidence.CERTAIN, Confidence.LIKELY, Confidence.POSSIBLE


def function(forward: str, backward: str, inputs: str = "x", more: str = "") -> str:
    """A function with these bodies."""
    lines = [
        "class F(torch.autograd.Function):",
        "    @staticmethod",
        f"    def forward(ctx, {inputs}):",
        textwrap.indent(forward, " " * 8),
        "    @staticmethod",
        "    def backward(ctx, g):",
        textwrap.indent(backward, " " * 8),
        more,
    ]
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize(
    ("inputs", "backward", "sure"),
    [
        ("x, y", "return g", CERTAIN),
        ("x, y", "return g * 2", CERTAIN),
        ("x, y, z", "return g, None", CERTAIN),
        ("x", "return g, g", CERTAIN),
        ("x, y", "if g.dim():\n    return g, g\nreturn g", CERTAIN),
        ("x, k: int", "return g, g", LIKELY),
        ("x, y", "if g.dim():\n    raise ValueError\nreturn g", CERTAIN),
    ],
)
def test_gradients_that_do_not_fit_the_inputs(inputs: str, backward: str, sure: Confidence) -> None:
    assert said(function("return x * 2", backward, inputs)) == [("CL510", sure)]


@pytest.mark.parametrize(
    ("inputs", "backward"),
    [
        pytest.param("x, y", "return g, g", id="one for each"),
        pytest.param("x, k: int", "return g, None", id="None for a number"),
        pytest.param("x", "return g, None, None", id="trailing None is cut off"),
        pytest.param("x, k=2", "return g", id="the default was not passed"),
        pytest.param("x, *more", "return g", id="any number of inputs"),
        pytest.param("x, y", "grads = make(g)\nreturn grads", id="a name may hold a tuple"),
        pytest.param("x, y", "return (g,) * 2", id="a tuple is repeated"),
        pytest.param("x, y", "return (g,) + (None,)", id="tuples are joined"),
        pytest.param("x, y", "return make(g)", id="a call may return a tuple"),
        pytest.param("x, y", "raise NotImplementedError", id="there is no backward"),
        pytest.param("x, y", "raise NotImplementedError\nreturn g", id="it never comes to the return"),
        pytest.param("x, k: int", "d = None\nif g.dim():\n    d = g\nreturn g, d", id="None or a gradient"),
    ],
)
def test_gradients_that_fit(inputs: str, backward: str) -> None:
    assert said(function("return x * 2", backward, inputs)) == []


def test_the_class_of_a_class_method_is_no_input() -> None:
    text = "class F(torch.autograd.Function):\n    @classmethod\n    def forward(cls, ctx, x):\n        return x * 2\n"
    text += "    @classmethod\n    def backward(cls, ctx, g):\n        return {}\n"
    assert said(text.format("g")) == []
    assert said(text.format("(g, g)")) == [("CL510", CERTAIN)]


def test_setup_context_takes_the_context_out_of_forward() -> None:
    text = "class F(torch.autograd.Function):\n    @staticmethod\n    def forward(x, y):\n        return x * y\n"
    text += "    @staticmethod\n    def setup_context(ctx, inputs, output):\n        pass\n"
    text += "    @staticmethod\n    def backward(ctx, g):\n        return {}\n"
    assert said(text.format("g, g")) == []
    assert said(text.format("g, g, g")) == [("CL510", CERTAIN)]


@pytest.mark.parametrize(
    ("forward", "codes"),
    [
        ("ctx.save_for_backward(x, 3)\nreturn x", [("CL511", CERTAIN)]),
        ("ctx.save_for_backward([x])\nreturn x", [("CL511", CERTAIN)]),
        ("ctx.save_for_backward(x, x.shape)\nreturn x", [("CL511", CERTAIN)]),
        ("ctx.save_for_backward(x, None)\nreturn x", []),
        ("y = x * 2\nctx.y = y\nreturn y", [("CL512", POSSIBLE)]),
        ("ctx.scale = 2\nreturn x", []),
        ("ctx.save_for_backward(x)\nx.mul_(2)\nreturn x", [("CL513", LIKELY)]),
        ("ctx.save_for_backward(x)\nx[0] = 2\nreturn x", [("CL513", LIKELY)]),
        ("x.mul_(2)\nctx.save_for_backward(x)\nreturn x", []),
    ],
)
def test_what_forward_saves(forward: str, codes: list[tuple[str, Confidence]]) -> None:
    assert said(function(forward, "return g")) == codes


@pytest.mark.parametrize(
    ("backward", "codes"),
    [
        ("g.mul_(2)\nreturn g", [("CL514", LIKELY)]),
        ("g *= 2\nreturn g", [("CL514", LIKELY)]),
        ("g = g.clone()\ng.mul_(2)\nreturn g", []),
        ("return g.mul(2)", []),
        ("x, = ctx.saved_tensors\nx.mul_(2)\nreturn x * g", [("CL513", LIKELY)]),
        ("x, = ctx.saved_tensors\nx = x * 1\nx.mul_(2)\nreturn x * g", []),
    ],
)
def test_what_backward_writes(backward: str, codes: list[tuple[str, Confidence]]) -> None:
    assert said(function("return x * 2", backward)) == codes


def test_an_instance_is_called() -> None:
    assert said(function("return x", "return g", more="def f(x):\n    return F()(x)")) == [("CL515", CERTAIN)]
    assert said(function("return x", "return g", more="def f(x):\n    return F.apply(x)")) == []
    assert said("class Net(nn.Module):\n    pass\ndef f(x):\n    return Net()(x)") == []


@pytest.mark.parametrize(
    ("backward", "codes"),
    [
        ("return torch.zeros_like(ctx.y) * ctx.y.shape[0]", []),
        ("return g * ctx.y", [("CL512", POSSIBLE)]),
        ("return torch.zeros_like(ctx.y) + ctx.y", [("CL512", POSSIBLE)]),
    ],
)
def test_a_tensor_that_is_kept_for_its_shape(backward: str, codes: list[tuple[str, Confidence]]) -> None:
    assert said(function("y = x * 2\nctx.y = y\nreturn y", backward)) == codes
