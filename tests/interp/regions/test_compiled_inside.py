"""`interp.compiled_inside`: what a compiled region calls that has a mode or options of its own, and loses it."""

from __future__ import annotations

import pytest

from compilelint.events import Compile
from compilelint.interp import Interpreter, roots_of
from tests.support.reveal import facts, program_of, sources

HELPER = "def h(x: Tensor):\n    return x.sin()\n"


def lost(*lines: str) -> list[tuple[str, str]]:
    """What is called inside a region, and what it loses."""
    events: list[object] = []
    program, modules = program_of(sources("\n".join(lines) + "\n"))
    interp = Interpreter(program, facts(), events.append)
    for root in roots_of(interp, modules, ("explicit",)).first:
        interp.run(root)
    return [(one.target, one.where) for one in events if isinstance(one, Compile) and one.use == "inside"]


@pytest.mark.parametrize(
    ("lines", "found"),
    [
        pytest.param(
            ("@torch.compile(mode='max-autotune')", HELPER, "@torch.compile", "def f(x): return h(x) + 1"),
            ("h", 'mode="max-autotune"'),
            id="a decorator",
        ),
        pytest.param(
            (HELPER, "g = torch.compile(h, options={'max_autotune': True})", "@torch.compile", "def f(x): return g(x)"),
            ("h", "options"),
            id="options of a call",
        ),
        pytest.param(
            (
                "from torch.nn.attention.flex_attention import flex_attention",
                "flex = torch.compile(flex_attention, mode='max-autotune-no-cudagraphs')",
                "@torch.compile",
                "def f(q: Tensor): return flex(q, q, q)",
            ),
            ("flex_attention", 'mode="max-autotune-no-cudagraphs"'),
            id="a function of torch",
        ),
        pytest.param(
            (
                "class Net(nn.Module):",
                "    @torch.compile(mode='reduce-overhead')",
                "    def part(self, x): return x + 1",
                "    def forward(self, x): return self.part(x)",
                "net = torch.compile(Net())",
            ),
            ("part", 'mode="reduce-overhead"'),
            id="a method",
        ),
    ],
)
def test_what_a_region_drops(lines: tuple[str, ...], found: tuple[str, str]) -> None:
    assert lost(*lines) == [found]


@pytest.mark.parametrize(
    "lines",
    [
        pytest.param(("@torch.compile", HELPER, "@torch.compile", "def f(x): return h(x)"), id="nothing asked for"),
        pytest.param(
            ("@torch.compile(mode='default')", HELPER, "@torch.compile", "def f(x): return h(x)"), id="the default"
        ),
        pytest.param(
            (
                "@torch.compile(mode='max-autotune')",
                HELPER,
                "@torch.compile(mode='max-autotune')",
                "def f(x): return h(x)",
            ),
            id="the same mode",
        ),
        pytest.param(
            ("@torch.compile(mode='max-autotune')", HELPER, "def f(x): return h(x)"), id="eager code calls it"
        ),
        pytest.param(
            (
                "@torch.compile(mode='max-autotune')",
                HELPER,
                "@torch.compiler.disable",
                "def away(x): return h(x)",
                "@torch.compile",
                "def f(x): return away(x)",
            ),
            id="behind a function that is left eager",
        ),
    ],
)
def test_what_loses_nothing(lines: tuple[str, ...]) -> None:
    assert lost(*lines) == []
