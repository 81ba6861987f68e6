"""Whole small programs, run step by step: which calls compile again (each was run under real Dynamo 2.13)."""

from __future__ import annotations

import textwrap

import pytest

from compilelint.events import Recompiled
from compilelint.host.machine import Machine
from compilelint.host.regions import Regions
from compilelint.host.run import run
from tests.support.reveal import program_of

HEAD = """
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self, k=1):
        super().__init__()
        self.k = k
        self.lin = nn.Linear(4, 4)

    def forward(self, x, n=None):
        return self.lin(x) * self.k if n is None else self.lin(x) * n

net = Net()
fast = torch.compile(net, backend="eager")
"""


def found(source: str, head: str = HEAD) -> list[tuple[str, str, str]]:
    """Why, in what and of what the calls of a program differ that compile again."""
    events = run(*program_of({"app.py": head + textwrap.dedent(source)}))
    return [(one.by, one.differs, one.name) for one in events if isinstance(one, Recompiled)]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        pytest.param("for n in (3, 5): fast(torch.ones(n, 4))", [("input", "size", "x")], id="a size from a tuple"),
        pytest.param("for n in (3, 3): fast(torch.ones(n, 4))", [], id="one size, twice"),
        pytest.param(
            "torch._dynamo.config.assume_static_by_default = False\nfast = torch.compile(net, backend='eager')\n"
            "for n in (3, 5): fast(torch.ones(n, 4))",
            [],
            id="sizes are symbols from the first call on",
        ),
        pytest.param(
            "import numpy as np\nfor _ in range(3): fast(torch.ones(2, 4), np.random.beta(0.2, 0.2))",
            [("input", "value", "n")],
            id="a number of a distribution of NumPy",
        ),
        pytest.param(
            "import math\nfor step in (1, 2, 3): fast(torch.ones(2, 4), 0.5 * math.cos(math.pi * step / 5))",
            [("input", "value", "n")],
            id="a number of a schedule",
        ),
        pytest.param(
            "import math\nfor step in (1, 2, 3): fast(torch.ones(2, 4), math.sqrt(4.0))",
            [],
            id="a number that is computed and stays",
        ),
        pytest.param(
            "import numpy as np\nfor row in (np.ones(4, dtype=np.float32), np.linspace(0, 1, 4)):\n"
            "    fast(torch.from_numpy(row))",
            [("input", "dtype", "x")],
            id="a dtype of NumPy's own",
        ),
        pytest.param(
            "from dataclasses import dataclass, replace\n@dataclass(frozen=True)\nclass Opt:\n    k: int = 1\n"
            "@torch.compile\ndef f(x, o):\n    for _ in range(o.k): x = x + 1\n    return x\n"
            "for k in (1, 2): f(torch.ones(2), replace(Opt(), k=k))",
            [("input", "value", "o.k")],
            id="a field that is replaced",
        ),
        pytest.param(
            "import torch.nn.functional as F\n@torch.compile\ndef f(x, act): return act(x)\n"
            "for act in (F.relu, F.gelu): f(torch.ones(2), act)",
            [("input", "class", "act")],
            id="another function of torch is given",
        ),
        pytest.param(
            "import torch.nn.functional as F\n@torch.compile\ndef f(x, act): return act(x)\n"
            "for act in (F.relu, F.relu): f(torch.ones(2), act)",
            [],
            id="one function of torch",
        ),
        pytest.param(
            "import numpy as np\nfor _ in range(3): fast(torch.ones(2, 4), np.random.beta(0.2, 0.2, 4))",
            [],
            id="an array of a distribution of NumPy",
        ),
        pytest.param(
            "for by in (0.5, 2.0): fast(nn.functional.interpolate(torch.ones(1, 4, 4, 4), scale_factor=by))",
            [("input", "size", "x")],
            id="a size by its factor",
        ),
        pytest.param(
            "for by in (0.5, 0.5): fast(nn.functional.interpolate(torch.ones(1, 4, 4, 4), scale_factor=by))",
            [],
            id="one factor, twice",
        ),
        pytest.param(
            "def outer():\n    n = 0\n    @torch.compile\n    def step(x): return x * n\n    def run(x):\n"
            "        nonlocal n\n        step(x)\n        n += 1\n    return run\n"
            "run = outer()\nfor _ in range(3): run(torch.ones(2))",
            [("state", "value", "n")],
            id="a name of the function around",
        ),
        pytest.param(
            "def outer():\n    n = seen = 0\n    @torch.compile\n    def step(x): return x * n\n    def run(x):\n"
            "        nonlocal seen\n        step(x)\n        seen += 1\n    return run\n"
            "run = outer()\nfor _ in range(3): run(torch.ones(2))",
            [],
            id="a name of the function around that is not read",
        ),
        pytest.param(
            "h = net.lin.register_forward_hook(print)\nfast(torch.ones(2, 4))\nh.remove()\nfast(torch.ones(2, 4))",
            [("state", "length", "self.lin._forward_hooks")],
            id="a hook of a layer is removed",
        ),
        pytest.param(
            "net.lin.register_forward_hook(print)\nfast(torch.ones(2, 4))\n"
            "net.lin.register_forward_hook(print)\nfast(torch.ones(2, 4))",
            [("state", "length", "self.lin._forward_hooks")],
            id="a layer with a hook gets another",
        ),
        pytest.param(
            "seen = []\nfast.register_forward_hook(lambda m, x, y: seen.append(1))\n"
            "for _ in range(3): fast(torch.ones(2, 4))",
            [],
            id="a hook of the wrapper runs outside of compiled code",
        ),
        pytest.param(
            "fast(torch.ones(2, 4))\nnet.lin.register_forward_hook(print)\nfast(torch.ones(2, 4))",
            [],
            id="a first hook comes late and is not looked for",
        ),
        pytest.param(
            "h = net.register_forward_hook(print)\nfast(torch.ones(2, 4))\nh.remove()\nfast(torch.ones(2, 4))",
            [],
            id="hooks of the compiled module itself",
        ),
        pytest.param(
            "fast(torch.ones(2, 4))\nnet.lin = nn.Linear(4, net.lin.out_features + 2)\nfast(torch.ones(2, 4))",
            [("state", "class", "self.lin")],
            id="a layer that is wider than the one before",
        ),
        pytest.param(
            "def rows():\n    for n in (3, 5): yield torch.ones(n, 4)\nfor x in rows(): fast(x)",
            [("input", "size", "x")],
            id="a generator",
        ),
        pytest.param(
            "def fits(model, n):\n    return model(torch.ones(n, 4))\nfits(fast, 2)\nfits(fast, 3)",
            [("input", "size", "x")],
            id="a helper",
        ),
        pytest.param(
            "for n in (3, 5):\n    x = torch.ones(n, 4)\n    torch._dynamo.mark_dynamic(x, 0)\n    fast(x)",
            [],
            id="the size is marked",
        ),
        pytest.param(
            "for n in (3, 5):\n    torch._dynamo.reset()\n    fast(torch.ones(n, 4))",
            [],
            id="Dynamo forgets in between",
        ),
        pytest.param(
            "fast(torch.ones(2, 4))\ntorch.compiler.set_stance('eager_on_recompile')\nfast(torch.ones(3, 4))",
            [],
            id="the stance leaves the call to Python",
        ),
        pytest.param(
            "fast(torch.ones(2, 4))\nwith torch.compiler.set_stance('eager_on_recompile'):\n"
            "    fast(torch.ones(3, 4))\nfast(torch.ones(5, 4))",
            [("input", "size", "x")],
            id="the stance of a block ends with it",
        ),
        pytest.param(
            "fast(torch.ones(2, 4))\nwith torch.compiler.set_stance('force_eager'):\n    fast(torch.ones(3, 4))",
            [],
            id="the stance compiles nothing",
        ),
        pytest.param("x = torch.ones(2, 4)\nfast(x)\nfast(x, 2)", [("input", "type", "n")], id="None, then a number"),
        pytest.param("x = torch.ones(2, 4)\nfast(x, 2)\nfast(x, 3)", [("input", "value", "n")], id="a number is used"),
        pytest.param(
            "fast(torch.ones(2, 4))\nfast(torch.ones(2, 4).double())", [("input", "dtype", "x")], id="a dtype"
        ),
        pytest.param("fast(unknown)\nfast(other)", [], id="nothing is known of the arguments"),
        pytest.param(
            "x = torch.ones(2, 4)\nfast(x)\nnet.k = 2\nfast(x)", [("state", "value", "self.k")], id="state is assigned"
        ),
        pytest.param("x = torch.ones(2, 4)\nfast(x)\nnet.j = 2\nfast(x)", [], id="state that nothing compiled reads"),
        pytest.param("x = torch.ones(2, 4)\nfast(x)\nnet.k = 1\nfast(x)", [], id="the value that it had"),
        pytest.param(
            "x = torch.ones(2, 4)\nfor k in (1, 2): torch.compile(Net(k), backend='eager')(x)",
            [("instance", "value", "self.k")],
            id="two instances of one code",
        ),
        pytest.param(
            "x = torch.ones(2, 4)\nfor k in (1, 1): torch.compile(Net(k), backend='eager')(x)",
            [],
            id="two instances alike",
        ),
        pytest.param(
            "x = torch.ones(2, 4)\nwith torch.no_grad(): fast(x)\nfast(x)",
            [("state", "mode", "grad mode")],
            id="grad mode",
        ),
        pytest.param(
            "x = torch.ones(2, 4)\nfast(x)\ntorch.use_deterministic_algorithms(True)\nfast(x)",
            [("state", "setting", "deterministic algorithms")],
            id="a switch of the process",
        ),
        pytest.param(
            "x = torch.ones(2, 4)\nfast(x)\ntorch.set_default_dtype(torch.float32)\nfast(x)",
            [],
            id="a switch gets its default",
        ),
        pytest.param("x = torch.ones(2, 4)\nfast(x)\ntorch.manual_seed(1)\nfast(x)", [], id="a seed is no guard"),
        pytest.param(
            "x = torch.ones(2, 4)\nfor on in (True, False):\n    with torch.autocast('cpu', enabled=on): fast(x)",
            [("state", "setting", "autocast mode")],
            id="autocast for some calls",
        ),
        pytest.param(
            "x = torch.ones(2, 4)\nfor _ in range(2):\n    with torch.autocast('cpu'): fast(x)",
            [],
            id="autocast for all calls",
        ),
        pytest.param(
            "x = torch.ones(2, 4)\nwith torch.autocast('cpu', enabled=unknown): fast(x)\nfast(x)",
            [],
            id="autocast behind a switch that is not known",
        ),
        pytest.param(
            "layers = nn.ModuleList([nn.Linear(4, 4)])\n"
            "quick = torch.compile(lambda x: [l(x) for l in layers], backend='eager')\n"
            "x = torch.ones(2, 4)\nquick(x)\nlayers.append(nn.Linear(4, 4))\nquick(x)",
            [("state", "length", "layers")],
            id="a layer is appended",
        ),
        pytest.param(
            "seen = []\nnet.lin.register_forward_hook(lambda m, i, o: seen.append(o))\n"
            "x = torch.ones(2, 4)\nfast(x)\nfast(x)",
            [("state", "length", "seen")],
            id="a hook fills a list",
        ),
        pytest.param(
            "seen = []\nx = torch.ones(2, 4)\nfast(x)\n"
            "net.lin.register_forward_hook(lambda m, i, o: seen.append(o))\nfast(x)\nfast(x)",
            [],
            id="a hook that compiled code does not run",
        ),
        pytest.param(
            "x = torch.ones(2, 4)\nfast(x)\nnet.double()\nfast(x)",
            [("state", "dtype", "self.lin.weight")],
            id="the weights are cast",
        ),
        pytest.param("x = torch.ones(2, 4)\nfast(x)\nnet.float()\nfast(x)", [], id="cast to what they are"),
        pytest.param(
            "import torch.nn.functional as F\nx = torch.ones(1, 4, 4)\nfor _ in range(2):\n    fast(x)\n"
            "    x = F.avg_pool1d(x, 1, 1)",
            [],
            id="a pool that keeps the size",
        ),
        pytest.param(
            "import random\nimage = torch.ones(1, 9, 4)\nfor _ in range(3):\n    top = random.randint(0, 4)\n"
            "    fast(image[:, top : top + 4])",
            [],
            id="a crop of one size at a place that is drawn",
        ),
        pytest.param(
            "import torch._dynamo\ntorch._dynamo.config.automatic_dynamic_shapes = False\n"
            "for n in (3, 5, 7): fast(torch.ones(n, 4))",
            [("input", "size", "x")],
            id="no symbols by a setting",
        ),
        pytest.param(
            "from functools import partial\ntc = partial(torch.compile, backend='eager')\nquick = tc(net)\n"
            "quick(torch.ones(2, 4))\nquick(torch.ones(3, 4))",
            [("input", "size", "x")],
            id="compiled through partial",
        ),
        pytest.param(
            "def speed(m): return torch.compile(m, backend='eager')\nquick = speed(net)\n"
            "quick(torch.ones(2, 4))\nquick(torch.ones(3, 4))",
            [("input", "size", "x")],
            id="compiled by a helper",
        ),
        pytest.param(
            "quick = (torch.compile if True else None)(net)\nquick(torch.ones(2, 4))\nquick(torch.ones(3, 4))",
            [("input", "size", "x")],
            id="compiled by a conditional expression",
        ),
        pytest.param("net(torch.ones(2, 4))\nnet(torch.ones(3, 4))", [], id="the plain model is called"),
        pytest.param(
            "kinds = [type(n, (Net,), {'shift': lambda self: 1}) for n in 'ab']\n"
            "for k in kinds: torch.compile(k(), backend='eager')(torch.ones(2, 4))",
            [("instance", "class", "self")],
            id="classes that are made by type",
        ),
        pytest.param(
            "class Cells(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
            "        self.rnn = nn.LSTM(4, 4)\n    def forward(self, x): return self.rnn(x)\n"
            "rnn = torch.compile(Cells(), backend='eager')\nrnn(torch.ones(2, 4))\nrnn(torch.ones(3, 4))",
            [],
            id="a layer that Dynamo leaves to Python",
        ),
        pytest.param(
            "quick = torch.compile(net, disable=True)\nquick(torch.ones(2, 4))\nquick(torch.ones(3, 4))",
            [],
            id="compiling is switched off",
        ),
        pytest.param(
            "if unknown:\n    n = 3\nelse:\n    n = 5\nfast(torch.ones(n, 4))\nfast(torch.ones(3, 4))",
            [],
            id="a size that a test decides which is not known",
        ),
    ],
)
def test_calls_that_compile_again(source: str, expected: list[tuple[str, str, str]]) -> None:
    assert found(source) == expected


@pytest.mark.parametrize(
    ("source", "sure"),
    [
        pytest.param("for n in (3, 5): fast(torch.ones(n, 4))", "CERTAIN", id="written down"),
        pytest.param(
            "import random\nfor _ in range(2): fast(torch.ones(random.randint(2, 9), 4))",
            "LIKELY",
            id="drawn at random",
        ),
        pytest.param("if unknown:\n    for n in (3, 5): fast(torch.ones(n, 4))", "LIKELY", id="behind an open test"),
    ],
)
def test_how_sure_it_is(source: str, sure: str) -> None:
    events = run(*program_of({"app.py": HEAD + source}))
    assert [one.sure.name for one in events if isinstance(one, Recompiled)] == [sure]


@pytest.mark.parametrize(
    "source",
    [
        pytest.param("while True: fast(torch.ones(2, 4))", id="a loop without an end"),
        pytest.param("def f(): return f()\nf()", id="recursion"),
        pytest.param("n = 10 ** 10 ** 10\nx = 'a' * n\nl = [0] * n", id="numbers that explode"),
        pytest.param("x = [0]\nx.append(x)\nfast(x)", id="a list that holds itself"),
        pytest.param("def g():\n    while True: yield 1\nfor i in g(): pass", id="a generator without an end"),
    ],
)
def test_no_program_keeps_it_busy(source: str) -> None:
    assert found(source) == []


@pytest.mark.parametrize(
    ("call", "few"),
    [
        pytest.param("walk(unknown)", True, id="of what is not known, both sides again and again"),
        pytest.param("count(300)", False, id="of a number that falls"),
        pytest.param("Counter().down()", False, id="of an object whose number falls"),
    ],
)
def test_recursion_that_learns_nothing_ends(call: str, few: bool) -> None:
    source = """
def walk(node):
    if is_leaf(node): return node
    if is_pair(node): return walk(node[0]), walk(node[1])
    return [walk(one) for one in node]
def count(n):
    if n > 0: count(n - 1)
class Counter:
    n = 12
    def down(self):
        self.n = self.n - 1
        if self.n: self.down()
"""
    program, (module,) = program_of({"app.py": source + call})
    machine = Machine(program, {module.name: module}, Regions())
    machine.run_module(module, "__main__")
    assert machine.steps < 400 if few else machine.steps > 30


@pytest.mark.parametrize(
    ("first", "refused", "limit"),
    [
        pytest.param("torch.compiler.set_stance('fail_on_recompile')", True, None, id="a stance"),
        pytest.param("torch._dynamo.config.error_on_recompile = True", True, None, id="a setting that refuses"),
        pytest.param("torch._dynamo.config.error_on_recompile = False", False, None, id="that setting, off"),
        pytest.param("torch.compiler.set_stance('default')", False, None, id="the usual stance"),
        pytest.param("torch._dynamo.config.recompile_limit = 64", False, 64, id="a limit"),
        pytest.param("torch._dynamo.config.cache_size_limit = 2", False, 2, id="a limit by its older name"),
        pytest.param("torch._dynamo.config.verbose = True", False, None, id="another setting"),
    ],
)
def test_what_the_program_sets_decides_what_a_further_version_costs(
    first: str, refused: bool, limit: int | None
) -> None:
    source = HEAD + f"import torch._dynamo\nfast(torch.ones(2, 4))\n{first}\nfast(torch.ones(3, 4))\n"
    (event,) = [one for one in run(*program_of({"app.py": source})) if isinstance(one, Recompiled)]
    assert (bool(event.refused), event.limit) == (refused, limit)
