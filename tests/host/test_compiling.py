"""However a module is compiled, what the program does with it is found: spellings crossed with findings."""

from __future__ import annotations

import pytest

from compilelint.events import Recompiled, WrapperUse
from compilelint.host.run import run
from tests.support.reveal import program_of

HEAD = """
import functools, inspect, time
import torch
import torch as t
from functools import partial
from torch import compile as speedy, nn

class Net(nn.Module):
    def __init__(self, k=1):
        super().__init__()
        self.k = k
        self.lin = nn.Linear(4, 4)

    def forward(self, x):
        return torch.tanh(self.lin(x)) * self.k

    def sample(self, x):
        return self(x)

def helper(model, **options):
    return torch.compile(model, **options)

class Factory:
    compiler = torch.compile

    def build(self, model):
        return torch.compile(model, backend=self.backend)

    backend = "aot_eager"

net = Net()
x = torch.ones(2, 4, requires_grad=True)
"""
SPELLINGS = {
    "plain": "fast = torch.compile(net, backend='aot_eager')",
    "keyword": "fast = torch.compile(model=net, backend='aot_eager')",
    "an alias of torch": "fast = t.compile(net, backend='aot_eager')",
    "imported by another name": "fast = speedy(net, backend='aot_eager')",
    "a name": "tc = torch.compile\nfast = tc(net, backend='aot_eager')",
    "without the model": "fast = torch.compile(backend='aot_eager')(net)",
    "partial": "fast = partial(torch.compile, backend='aot_eager')(net)",
    "a conditional": "fast = (torch.compile if True else None)(net, backend='aot_eager')",
    "a helper": "fast = helper(net, backend='aot_eager')",
    "a lambda": "fast = (lambda m: torch.compile(m, backend='aot_eager'))(net)",
    "a method": "fast = Factory().build(net)",
    "getattr": "fast = getattr(torch, 'compile')(net, backend='aot_eager')",
    "a table": "fast = {'on': torch.compile}['on'](net, backend='aot_eager')",
    "options of a table": "options = {'backend': 'aot_eager'}\nfast = torch.compile(net, **options)",
    "a comprehension": "(fast,) = [torch.compile(m, backend='aot_eager') for m in (net,)]",
    "optimize": "import torch._dynamo\nfast = torch._dynamo.optimize('aot_eager')(net)",
}
USES = {
    "sizes": ("fast(x)\nfast(torch.ones(3, 4, requires_grad=True))", "input"),
    "state": ("fast(x)\nnet.k = 2\nfast(x)", "state"),
    "grad mode": ("fast(x)\nwith torch.no_grad(): fast(x)", "state"),
    "isinstance": ("isinstance(fast, Net)", "isinstance"),
    "type": ("type(fast) is Net", "isinstance"),
    "a table of types": ("{Net: 1}[type(fast)]", "isinstance"),
    "signature": ("inspect.signature(type(fast).forward)", "signature"),
    "truth": ("fast or Net()", "truth"),
    "names": ("[n for n, p in fast.named_parameters() if n.startswith('lin')]", "keys"),
    "a method": ("fast.sample(x)", "method"),
    "not called": ("net(x)", "unused"),
    "double backward": (
        "(g,) = torch.autograd.grad(fast(x).sum(), x, create_graph=True)\ng.sum().backward()",
        "double-backward",
    ),
    "timed": ("start = time.time()\nfast(x)\nprint(time.time() - start)", "timed"),
    "no use": ("fast(x)\nfast(x)", ""),
}


@pytest.mark.parametrize("spelling", SPELLINGS.values(), ids=SPELLINGS)
def test_a_use_is_found_however_the_module_is_compiled(spelling: str) -> None:
    missed = []
    for name, (use, wanted) in USES.items():
        events = list(run(*program_of({"app.py": f"{HEAD}{spelling}\n{use}\n"})))
        found: set[str] = {one.by for one in events if isinstance(one, Recompiled)}
        found |= {one.how for one in events if isinstance(one, WrapperUse)}
        if found != ({wanted} if wanted else set()):
            missed.append((name, wanted, found))
    assert missed == []
