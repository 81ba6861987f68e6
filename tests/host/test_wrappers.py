"""The compiled wrapper as a value, and what autograd and clocks meet around it (each run under Dynamo 2.13)."""

from __future__ import annotations

import pytest

from compilelint.events import Compile, WrapperUse
from compilelint.host.run import run
from tests.support.reveal import program_of

HEAD = """
import inspect, time
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(4, 4)

    def forward(self, x):
        return torch.tanh(self.lin(x))

    def sample(self, x):
        return self(x)

    def width(self):
        return 4

class Sized(Net):
    def __len__(self):
        return 1

net = Net()
fast = torch.compile(net, backend="aot_eager")
x = torch.ones(2, 4, requires_grad=True)
"""


def found(source: str) -> list[str]:
    """How the wrapper and what it gives are used in a program."""
    events = run(*program_of({"app.py": HEAD + source}))
    return [
        one.how if isinstance(one, WrapperUse) else one.use for one in events if isinstance(one, (WrapperUse, Compile))
    ]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        pytest.param(
            "def check(m):\n    return type(m) is not Net\ncheck(fast)", ["isinstance"], id="type, in a helper"
        ),
        pytest.param("isinstance(fast, Net)", ["isinstance"], id="isinstance"),
        pytest.param("isinstance(fast, nn.Module)", [], id="the wrapper is a module, too"),
        pytest.param("isinstance(net, Net)", [], id="the plain model"),
        pytest.param("issubclass(fast.__class__, Net)", ["isinstance"], id="issubclass of its class"),
        pytest.param("{'Net': 1}[type(fast).__name__]", ["isinstance"], id="its class's name as a key"),
        pytest.param("{'Other': 1}.get(type(net).__name__)", [], id="the name of the plain model's class"),
        pytest.param("inspect.signature(type(fast).forward)", ["signature"], id="the signature of its class"),
        pytest.param("inspect.signature(type(net).forward)", [], id="the signature of the plain model"),
        pytest.param("inspect.signature(fast.forward)", ["signature"], id="the signature of its bound forward"),
        pytest.param("{Net: 1}[type(fast)]", ["isinstance"], id="its class as a key"),
        pytest.param("{Net: 1}.get(type(fast))", ["isinstance"], id="its class as a key of get"),
        pytest.param("{Sized: 1}.get(type(fast))", [], id="a table without the model's class"),
        pytest.param("{Net: 1}[type(net)]", [], id="the plain model's class as a key"),
        pytest.param("type(fast).__name__.lower()", ["isinstance"], id="its class's name, worked on"),
        pytest.param("print(type(fast).__name__)", [], id="its class's name, printed"),
        pytest.param("match fast:\n    case Net(): pass", ["isinstance"], id="a class pattern"),
        pytest.param(
            "import functools\n@functools.singledispatch\ndef f(m): pass\n@f.register\ndef _(m: Net): pass\nf(fast)",
            ["isinstance"],
            id="singledispatch by annotation",
        ),
        pytest.param(
            "import functools\n@functools.singledispatch\ndef f(m): pass\n@f.register(Net)\ndef _(m): pass\nf(fast)",
            ["isinstance"],
            id="singledispatch by argument",
        ),
        pytest.param(
            "import functools\n@functools.singledispatch\ndef f(m): pass\n@f.register\ndef _(m: Net): pass\nf(net)",
            [],
            id="singledispatch of the plain model",
        ),
        pytest.param("seq = torch.compile(nn.Sequential(nn.ReLU()))\nseq[0]", ["special"], id="an item of it"),
        pytest.param("seq = torch.compile(nn.Sequential(nn.ReLU()))\nfor l in seq: l", ["special"], id="gone over"),
        pytest.param("seq = torch.compile(nn.Sequential(nn.ReLU()))\nlist(seq)", ["special"], id="listed"),
        pytest.param("seq = torch.compile(nn.Sequential(nn.ReLU()))\nlen(seq)", [], id="its length"),
        pytest.param(
            "seq = nn.Sequential(nn.ReLU())\ntorch.compile(seq)(x)\nseq[0]", [], id="an item of the plain one"
        ),
        pytest.param(
            "for name, child in fast.named_children():\n    if name != 'lin': child.eval()", ["keys"], id="its children"
        ),
        pytest.param(
            "for name, m in fast.named_modules():\n    if isinstance(m, Net): fast(x)", [], id="among all its modules"
        ),
        pytest.param(
            "for name, child in net.named_children():\n    if name != 'lin': child.eval()",
            [],
            id="the model's children",
        ),
        pytest.param(
            "[p for n, p in fast.named_parameters() if n.split('.')[0] == 'lin']", ["keys"], id="the head of a name"
        ),
        pytest.param("fast.state_dict()['lin.weight']", ["keys"], id="a plain key of its state"),
        pytest.param("fast.state_dict()['_orig_mod.lin.weight']", [], id="its own key of its state"),
        pytest.param(
            "class Off(Net):\n    @torch.compiler.disable\n    def forward(self, x): return x\ntorch.compile(Off())(x)",
            ["unused"],
            id="its forward is disabled",
        ),
        pytest.param("torch.compiler.set_stance('force_eager')\nfast(x)", ["unused"], id="a stance for all calls"),
        pytest.param(
            "with torch.compiler.set_stance('force_eager'): fast(x)\nfast(x)", [], id="a stance for some calls"
        ),
        pytest.param(
            "def steps(x):\n    yield x + 1\ntorch.compile(steps)(x)", ["unused"], id="generators are left to Python"
        ),
        pytest.param(
            "def steps(x):\n    return [one for one in (x, x)]\ntorch.compile(steps)(x)", [], id="no generator"
        ),
        pytest.param("def seen(m): return m is net\nseen(fast)", ["identity"], id="compared with the model inside"),
        pytest.param("if fast is not net: pass", [], id="asked whether it is compiled"),
        pytest.param("if net is net: pass\nif fast is Net(): pass", [], id="compared with another model"),
        pytest.param(
            "def save(m, path): torch.save({'model': m.state_dict()}, path)\nsave(fast, 'a.pt')\n"
            "net.load_state_dict(torch.load('a.pt')['model'])",
            ["keys"],
            id="its state by way of a file",
        ),
        pytest.param(
            "torch.save(fast.state_dict(), 'a.pt')\ntorch.save(net.state_dict(), 'a.pt')\n"
            "net.load_state_dict(torch.load('a.pt'))",
            [],
            id="the file is written again",
        ),
        pytest.param(
            "torch.save(fast.state_dict(), 'a.pt')\nnet.load_state_dict(torch.load('b.pt'))", [], id="another file"
        ),
        pytest.param(
            "if input():\n    torch.save(fast.state_dict(), 'a.pt')\nnet.load_state_dict(torch.load('a.pt'))",
            [],
            id="a file that may not be written",
        ),
        pytest.param(
            "s = fast.state_dict()\nnn.modules.utils.consume_prefix_in_state_dict_if_present(s, '_orig_mod.')\n"
            "net.load_state_dict(s)",
            [],
            id="the prefix is taken off by torch",
        ),
        pytest.param(
            "s = fast.state_dict()\nfor k in list(s):\n    if k.startswith('_orig_mod.'):\n"
            "        s[k[len('_orig_mod.'):]] = s.pop(k)\nnet.load_state_dict(s)",
            [],
            id="the prefix is taken off by hand",
        ),
        pytest.param(
            "ddp = nn.parallel.DistributedDataParallel(fast)\nddp(x)\nnet.load_state_dict(ddp.module.state_dict())",
            ["keys"],
            id="its state behind data parallel",
        ),
        pytest.param(
            "ddp = torch.compile(nn.parallel.DistributedDataParallel(net))\nddp(x)\n"
            "Net().load_state_dict(ddp.module.state_dict())",
            [],
            id="the state inside a compiled data parallel",
        ),
        pytest.param("fast(x)\ntry: type(fast)(4)\nexcept Exception: pass", ["isinstance"], id="its class is called"),
        pytest.param("fast(x)\ntype(net)()", [], id="the class of the plain model is called"),
        pytest.param("fast(x)\nprint(fast._get_name().lower())", ["isinstance"], id="its name is a text"),
        pytest.param("fast(x)\nprint(net._get_name().lower())", [], id="the name of the plain model is"),
        pytest.param(
            "gs = torch.autograd.grad(fast(x).sum(), [x], create_graph=True)\nsum(g.sum() for g in gs).backward()",
            ["double-backward"],
            id="a sum of gradients that is differentiated",
        ),
        pytest.param("fast or Net()", ["truth"], id="a truth value"),
        pytest.param("if fast is None: pass", [], id="asked for None"),
        pytest.param("torch.compile(Sized()) or Net()", [], id="a model with a length"),
        pytest.param(
            "ema = {k: v for k, v in net.named_parameters()}\nfor k, v in fast.named_parameters(): ema[k]",
            ["keys"],
            id="names with the prefix in a table of plain names",
        ),
        pytest.param(
            "ema = {k: v for k, v in fast.named_parameters()}\nfor k, v in fast.named_parameters(): ema[k]",
            [],
            id="names with the prefix in a table of such",
        ),
        pytest.param("net.load_state_dict(fast.state_dict())", ["keys"], id="its state into the plain model"),
        pytest.param("net.load_state_dict(fast.state_dict(), strict=False)", [], id="its state, leniently"),
        pytest.param("fast.sample(x)", ["method"], id="a method that calls the model"),
        pytest.param("fast(x)\nfast.width()", [], id="a method that does not"),
        pytest.param("net(x)", ["unused"], id="only the plain model is called"),
        pytest.param("fast.lin(x)", ["unused"], id="only a part is called"),
        pytest.param("fast(x)\nnet(x)", [], id="both are called"),
        pytest.param("net(x)\ntrain_with(fast)", [], id="handed to code that is not known"),
        pytest.param(
            "net(x)\nused = net\nif unknown():\n    used = fast\nused(x)", [], id="one of two, which is not known"
        ),
        pytest.param(
            "net(x)\nbox = Net()\nif unknown():\n    box.inner = fast\nbox.inner(x)",
            [],
            id="one of two in an attribute, which is not known",
        ),
        pytest.param(
            "net(x)\nused = net\nif unknown():\n    used = 3", ["unused"], id="others are one of two, it is not"
        ),
        pytest.param(
            "(g,) = torch.autograd.grad(fast(x).sum(), x, create_graph=True)\ng.sum().backward()",
            ["double-backward"],
            id="a gradient that is differentiated",
        ),
        pytest.param(
            "(g,) = torch.autograd.grad(fast(x).sum(), x, create_graph=True)\nprint(g)", [], id="that is only looked at"
        ),
        pytest.param(
            "fast(x)\n(g,) = torch.autograd.grad(net(x).sum(), x, create_graph=True)\ng.sum().backward()",
            [],
            id="of the plain model",
        ),
        pytest.param(
            "eager = torch.compile(net, backend='eager')\n"
            "(g,) = torch.autograd.grad(eager(x).sum(), x, create_graph=True)\ng.sum().backward()\nfast(x)",
            [],
            id="of a backend without AOTAutograd",
        ),
        pytest.param(
            "start = time.time()\nfast(x)\nprint(time.time() - start)", ["timed"], id="the first call is measured"
        ),
        pytest.param(
            "step = torch.compile(net.forward)\nstep(x)\nstep.parameters()\nfast(x)",
            ["function-member"],
            id="a compiled method has no parameters",
        ),
        pytest.param(
            "@torch.compile\ndef f(x): return x\ndef check(m): m.eval()\nf(x)\ncheck(f)\nfast(x)",
            ["function-member"],
            id="a compiled function has no mode",
        ),
        pytest.param("fast.eval()\nfast.parameters()\nfast(x)", [], id="a compiled module has them"),
        pytest.param(
            "from torch.fx import symbolic_trace\ndef count(m): return symbolic_trace(m)\nfast(x)\ncount(fast)",
            ["traced"],
            id="traced in a helper",
        ),
        pytest.param(
            "from torch.fx import symbolic_trace\ndef count(m): return symbolic_trace(m)\nfast(x)\ncount(net)",
            [],
            id="the plain model is traced",
        ),
        pytest.param(
            "@torch.compile\ndef two(x): return x * 2, x + 1\na, b = two(x)\n"
            "a.sum().backward()\nb.sum().backward()\nfast(x)",
            ["freed"],
            id="two results of one call are differentiated",
        ),
        pytest.param(
            "@torch.compile\ndef two(x): return x * 2, x + 1\na, b = two(x)\n"
            "a.sum().backward(retain_graph=True)\nb.sum().backward()\nfast(x)",
            [],
            id="the first keeps the graph",
        ),
        pytest.param(
            "@torch.compile\ndef two(x): return x * 2, x + 1\na, b = two(x)\n(a.sum() + b.sum()).backward()\nfast(x)",
            [],
            id="both in one pass",
        ),
        pytest.param("for _ in range(2): fast(x).sum().backward()", [], id="a result of each call is differentiated"),
        pytest.param(
            "@torch.compile(backend='eager')\ndef two(x): return x * 2, x + 1\na, b = two(x)\n"
            "a.sum().backward()\nb.sum().backward()\nfast(x)",
            [],
            id="autograd's own nodes",
        ),
        pytest.param(
            "for part in fast.children():\n    if isinstance(part, nn.Linear): print(part)\nfast(x)",
            ["children"],
            id="the parts of the wrapper are tested",
        ),
        pytest.param(
            "def go(m):\n    if isinstance(m, nn.Linear): print(m)\n    for part in m.children(): go(part)\n"
            "go(fast)\nfast(x)",
            [],
            id="a function that goes down finds them",
        ),
        pytest.param(
            "m = torch.compile(nn.Sequential(Net()))\nm(x)\n[int(n.split('.')[0]) for n, _ in m.named_parameters()]",
            [],
            id="the first word is another rule's",
        ),
        pytest.param(
            "class Deep(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
            "        self.layers = nn.ModuleList([nn.Linear(4, 4)])\n"
            "    def forward(self, x): return self.layers[0](x)\n"
            "def depths(m): return [int(n.split('.')[1]) for n, _ in m.named_parameters()]\n"
            "deep = Deep()\ndepths(deep)\nm = torch.compile(deep)\nm(x)\ndepths(m)",
            ["keys"],
            id="the number of a layer is taken out of its name",
        ),
        pytest.param(
            "from torch.autograd.functional import hvp\ndef energy(v): return fast(v).sum()\nhvp(fast, x, x)",
            ["double-backward"],
            id="a product with the Hessian",
        ),
        pytest.param(
            "from torch.autograd.functional import vjp\nvjp(fast, x, x)", [], id="a product with the Jacobian"
        ),
        pytest.param(
            "m = torch.compile(nn.Sequential(Net(), Net()))\nm(x)\n"
            "for n, part in m.named_modules():\n    if n and '.' not in n: print(n)",
            ["keys"],
            id="how deep a part of the wrapper lies",
        ),
        pytest.param(
            "m = nn.Sequential(Net(), Net())\nfor n, part in m.named_modules():\n    if '.' not in n: print(n)\n"
            "fast(x)",
            [],
            id="how deep a part of the model lies",
        ),
        pytest.param(
            "table = {'lin': 1}\nfor n, part in fast.named_children(): table[n]\nfast(x)",
            ["keys"],
            id="a table by the names of parts",
        ),
        pytest.param(
            "from torch.optim.swa_utils import AveragedModel\nmean = AveragedModel(fast)\nfast(x)\n"
            "Net().load_state_dict(mean.module.state_dict())",
            ["keys"],
            id="an average of the wrapper",
        ),
        pytest.param(
            "from torch.optim.swa_utils import AveragedModel\nmean = AveragedModel(net)\nfast(x)\n"
            "Net().load_state_dict(mean.module.state_dict())",
            [],
            id="an average of the model",
        ),
        pytest.param("@torch.compiler.disable\ndef step(x): return fast(x)\nstep(x)", ["unused"], id="under disable"),
        pytest.param(
            "@torch.compiler.disable(recursive=False)\ndef step(x): return fast(x)\nstep(x)",
            [],
            id="under disable that is not recursive",
        ),
        pytest.param(
            "@torch.compiler.disable\ndef step(x): return fast(x)\nstep(x)\nfast(x)", [], id="one call under disable"
        ),
        pytest.param(
            "@torch.compile\ndef f(y):\n    return torch.ones(9, 4)[: y.shape[0]] + y\ny = torch.ones(8, 4)\n"
            "torch._dynamo.mark_dynamic(y, 0)\nf(y)\nfast(x)",
            [],
            id="a mark that meets what is cut to its size",
        ),
        pytest.param("import timeit\ntimeit.timeit(lambda: fast(x), number=5)", ["timed"], id="a timer of a cold call"),
        pytest.param(
            "import timeit\nfast(x)\ntimeit.timeit(lambda: fast(x), number=5)", [], id="a timer of a warm one"
        ),
        pytest.param("import timeit\ntimeit.timeit(lambda: fast(x), number=99)", [], id="a timer of many calls"),
        pytest.param(
            "m = torch.compile(nn.Sequential(Net(), Net()))\nlist(m.children())[:-1]\nm(x)",
            ["children"],
            id="all but the last part of the wrapper",
        ),
        pytest.param("list(fast.children())[0]\nfast(x)", [], id="a model of one part"),
        pytest.param(
            "m = nn.Sequential(Net(), Net())\nlist(m.children())[:-1]\nfast(x)", [], id="parts of a plain model"
        ),
        pytest.param(
            "m = torch.compile(nn.Sequential(Net(), Net()))\nfor part in m.children(): part\nm(x)",
            [],
            id="all parts, whatever they are",
        ),
        pytest.param(
            "def speed(m):\n    if hasattr(torch, 'compile'): m = torch.compile(m)\none = Net()\nspeed(one)\n"
            "one(x)\nfast(x)",
            ["unused"],
            id="a helper that gives nothing back",
        ),
        pytest.param("fast(x)\nstart = time.time()\nfast(x)\nprint(time.time() - start)", [], id="the second is"),
        pytest.param(
            "start = time.time()\nfast(x).sum().backward()\nprint(time.time() - start)", [], id="a step of training"
        ),
        pytest.param("twice = torch.compile(fast)\nfast(x)\ntwice(x)", ["again"], id="the wrapper is compiled"),
        pytest.param(
            "opt = torch.optim.SGD(net.parameters())\nopt.step = torch.compile(opt.step)\n"
            "torch.optim.lr_scheduler.StepLR(opt, 1)\nfast(x)",
            ["scheduler"],
            id="a schedule after the step is compiled",
        ),
        pytest.param(
            "opt = torch.optim.SGD(net.parameters())\ntorch.optim.lr_scheduler.StepLR(opt, 1)\n"
            "opt.step = torch.compile(opt.step)\nfast(x)",
            [],
            id="a schedule before it",
        ),
        pytest.param("y = torch.ones(2, 4)\ntorch._dynamo.mark_dynamic(y, 0)\nfast(y)", [], id="a mark that holds"),
        pytest.param(
            "@torch.compile\ndef f(y):\n    return y + torch.ones(8, 4)\ny = torch.ones(8, 4)\n"
            "torch._dynamo.mark_dynamic(y, 0)\nf(y)\nfast(x)",
            ["mark-constant"],
            id="a mark that meets a constant",
        ),
        pytest.param(
            "@torch.compile\ndef f(y):\n    torch._dynamo.mark_dynamic(y, 0)\n    return y + 1\nf(x)\nfast(x)",
            ["mark-inside"],
            id="a mark inside",
        ),
    ],
)
def test_uses_of_the_wrapper(source: str, expected: list[str]) -> None:
    assert found(source) == expected
