"""Functions of libraries that call what they are given, and loops that end late (each run under Dynamo 2.13)."""

from __future__ import annotations

import pytest

from tests.host.test_run import found
from tests.host.test_wrappers import found as uses

SIZE = [("input", "size", "x")]
POOL = "from concurrent.futures import ThreadPoolExecutor as Pool, as_completed\n"
BLOCK = "from torch.utils.checkpoint import checkpoint\nx = torch.ones(2, 4, requires_grad=True)\n"
OTHER = (
    "from torch.func import functional_call as call\nfast(torch.ones(2, 4))\nweights = dict(net.named_parameters())\n"
)
KIND = """
class Flag(nn.Module):
    j = k = 1
    def forward(self, x): return x * self.k
flag = torch.compile(Flag(), backend="eager")
"""
ROWS = """
def rows(more):
    held = []
    while True:
        held.append(torch.ones(4))
        if more(held): break
    return torch.stack(held)
"""


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        pytest.param(
            POOL + "def serve(n): return fast(torch.ones(n, 4))\nwith Pool(1) as p: p.map(serve, [3, 5])",
            SIZE,
            id="a pool maps over sizes",
        ),
        pytest.param(
            POOL + "def serve(n): return fast(torch.ones(n, 4))\nwith Pool(1) as p: p.map(serve, [3, 3])",
            [],
            id="a pool maps over one size",
        ),
        pytest.param(
            POOL + "p = Pool(2)\ndone = [p.submit(torch.ones, n, 4) for n in (3, 5)]\n"
            "for one in as_completed(done): fast(one.result())",
            SIZE,
            id="what workers give has its size",
        ),
        pytest.param(
            "import threading\nfor n in (3, 5):\n    one = threading.Thread(target=fast, args=(torch.ones(n, 4),))\n"
            "    one.start()\n    one.join()",
            SIZE,
            id="threads are started",
        ),
        pytest.param(
            "import threading\nfor n in (3, 5): threading.Thread(target=fast, args=(torch.ones(n, 4),))",
            [],
            id="threads that are not started",
        ),
        pytest.param(
            "import asyncio\nasync def serve(n): return await asyncio.to_thread(fast, torch.ones(n, 4))\n"
            "async def main():\n    for n in (3, 5): await serve(n)\nasyncio.run(main())",
            SIZE,
            id="a thread for each request",
        ),
        pytest.param(
            BLOCK + "checkpoint(fast, x, use_reentrant=True).sum().backward()",
            [("state", "mode", "grad mode")],
            id="reentrant checkpoint",
        ),
        pytest.param(BLOCK + "for _ in range(2): checkpoint(fast, x, use_reentrant=False)", [], id="not reentrant"),
        pytest.param(
            BLOCK + "with torch.no_grad(): checkpoint(fast, x, use_reentrant=True)",
            [],
            id="reentrant without gradients",
        ),
        pytest.param(
            OTHER + "call(fast, {k: torch.zeros_like(v) for k, v in weights.items()}, (torch.ones(2, 4),))",
            [("state", "requires_grad", "self.lin.weight")],
            id="weights that are no parameters",
        ),
        pytest.param(OTHER + "call(fast, weights, (torch.ones(2, 4),))", [], id="its own weights"),
        pytest.param(OTHER + "call(fast, {}, (torch.ones(2, 4),))\nfast(torch.ones(2, 4))", [], id="no weights at all"),
        pytest.param(
            KIND + "flag(torch.ones(2))\nFlag.k = 2\nflag(torch.ones(2))",
            [("state", "value", "self.k")],
            id="an attribute of the class is set",
        ),
        pytest.param(KIND + "flag(torch.ones(2))\nFlag.j = 2\nflag(torch.ones(2))", [], id="one that is not read"),
        pytest.param(KIND + "Flag.k = 2\nflag(torch.ones(2))\nflag(torch.ones(2))", [], id="set before the calls"),
        pytest.param(
            "fast(net.lin.weight)\nfast(torch.ones(4, 4, requires_grad=True))",
            [("input", "type", "x")],
            id="a parameter and a tensor",
        ),
        pytest.param("fast(net.lin.weight)\nfast(net.lin.weight)", [], id="a parameter, twice"),
        pytest.param(
            "for i in range(500):\n    fast(torch.ones(2, 4))\n    if i == 499: fast(torch.ones(3, 4))",
            SIZE,
            id="what a loop does at its end",
        ),
        pytest.param(
            "for i in range(500):\n    fast(torch.ones(2, 4))\n    if i == 500: fast(torch.ones(3, 4))",
            [],
            id="what a loop never does",
        ),
        pytest.param(
            ROWS + "for _ in range(2): fast(rows(lambda held: torch.rand(()) < 0.2))",
            SIZE,
            id="a list that grows until data say so",
        ),
        pytest.param(
            ROWS + "for _ in range(2): fast(rows(lambda held: len(held) == 3))", [], id="that grows to one length"
        ),
        pytest.param(
            ROWS + "for _ in range(2): fast(rows(lambda held: torch.rand(()) < 0.2)[:0].new_zeros(2, 4))",
            [],
            id="whose length is not asked",
        ),
    ],
)
def test_calls_that_compile_again(source: str, expected: list[tuple[str, str, str]]) -> None:
    assert found(source) == expected


METHOD = """
class Base(nn.Module):
    @torch.compile
    def loss(self, x): return x + 1
class Own(Base):
    def loss(self, x): return {}
fast(x)
{}
"""


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        pytest.param("torch.func.vmap(fast)(x)", ["unused"], id="only under a transform"),
        pytest.param("fast(x)\ntorch.func.vmap(fast)(x)", [], id="called as well"),
        pytest.param("fast(x)\ntorch.func.vmap(torch.compile(net, backend='eager'))(x)", [], id="of a plain backend"),
        pytest.param("fast(x)\nnet.compile()\nnet.forward(x)", ["unused"], id="its forward by its name"),
        pytest.param("fast(x)\nnet.compile()\nnet.forward(x)\nnet(x)", [], id="the module as well"),
        pytest.param("fast(x)\nnet.compile()", [], id="nothing is called"),
        pytest.param("fast(x)\nnet.compile", ["unused"], id="named and not called"),
        pytest.param("fast(x)\nf = net.compile\nf()", [], id="named and called later"),
        pytest.param(METHOD.format("x", "Own().loss(x)"), ["unused"], id="a compiled method that is overridden"),
        pytest.param(METHOD.format("x", "Own().loss(x)\nBase().loss(x)"), [], id="that another object has"),
        pytest.param(METHOD.format("super().loss(x)", "Own().loss(x)"), [], id="that the override calls"),
        pytest.param(METHOD.format("x", "Own()"), [], id="that nothing calls either"),
    ],
)
def test_compile_calls_without_effect(source: str, expected: list[str]) -> None:
    assert uses(source) == expected
