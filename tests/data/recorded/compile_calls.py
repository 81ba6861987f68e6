"""Calls that compile: what they are given, how they are asked, where they stand, and what is called of the result."""

import functools
import os
import pickle
from dataclasses import dataclass

import torch
import torch._dynamo
import torch._dynamo.testing
import torch._inductor.config
import torch.nn as nn
from torch import Tensor

MODE = "max-autotune"


class Block(nn.Module):
    def __init__(self, n=3):
        super().__init__()
        self.layer = nn.Linear(n, n)

    def forward(self, x, flag=False, n: int = 3):
        if flag:
            print("a")
        if n > 3:
            x = x * n
        if x.sum() > 0:
            x = x + 1
        return self.layer(x)


class Stack(nn.Module):
    def __init__(self, depth, config):
        super().__init__()
        self.blocks = nn.ModuleList([Block() for _ in range(12)])
        self.some = nn.ModuleList([Block() for _ in range(2)])
        self.table = nn.ModuleDict({"layers": nn.ModuleList(Block() for _ in config.layers)})
        self.rest, self.more = Block(), Block()
        self.head: nn.Module = Block()
        self.run = torch.compile(self._run)
        self.depth = depth

    def _run(self, x):
        return x.item()

    def forward(self, x: Tensor):
        for block in self.blocks[1:]:
            x = block(x)
        for i, block in enumerate(self.some):
            x = block(x)
        for block in tuple(zip(self.table.layers, x)):
            x = block(x)
        return self.head(x)

    def generate(self, x: Tensor):
        return self(x) + self.forward(x)

    def describe(self):
        return self.depth

    def compiled_each_time(self, x):
        fast = torch.compile(self.forward)
        return fast(x)


class Outer(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.stack = Stack(3, config)

    def forward(self, x: Tensor):
        return self.stack(x)

    def training_step(self, batch):
        step = torch.compile(self.stack)
        return step(batch)


@dataclass
class Holder:
    model: nn.Module
    kind: str = "a"


def takes_none(model, inputs):
    return model


def takes_mode(model, inputs, mode=None):
    return model


def takes_all(model, inputs, **options):
    return model


def asked(model, mode, n, config, chosen="default"):
    a = torch.compile(model, mode="fastest")
    b = torch.compile(model, mode="reduce-overhead", options={"a": 1})
    c = torch.compile(model, mode=mode, options={"a": 1})
    d = torch.compile(model, mode=MODE, options={"a": 1})
    e = torch.compile(model, mode="default" if n else None, options={"a": 1})
    f = torch.compile(model, mode=None, options={"a": 1})
    g = torch.compile(model, options={"triton": {"cudagraphs": True}, MODE: {"x": 1}, "b": {}})
    h = torch.compile(model, dynamic="true")
    i = torch.compile(model, backend="eager", mode="max-autotune")
    j = torch.compile(model, backend="eager", mode="default")
    k = torch.compile(model, backend="aot_eager", options={"a": 1})
    m = torch.compile(model, backend="inductor", mode="max-autotune")
    o = torch.compile(model, backend=takes_none, mode="max-autotune")
    p = torch.compile(model, backend=takes_none, options=config.options)
    q = torch.compile(model, backend=takes_mode, mode="max-autotune")
    r = torch.compile(model, backend=takes_all, mode="max-autotune")
    s = torch.compile(model, backend=lambda m, i: m, mode="max-autotune")
    t = torch.compile(model, backend=functools.partial(takes_none), mode="max-autotune")
    u = torch.compile(model, mode="reduce-overhead", dynamic=True)
    v = torch.compile(model, fullgraph=True, dynamic=False, disable=True)
    w = torch.compile(mode="reduce-overhead")(model)
    x = torch.compile(*n)
    y = torch.compile(model=model)
    z = torch.compile(options={"triton.cudagraphs": True}, dynamic=True)(model)
    return a, b, c, d, e, f, g, h, i, j, k, m, o, p, q, r, s, t, u, v, w, x, y, z


@torch.compile(mode="reduce-overhead", dynamic=True)
def step(x: Tensor, n: int = 3, flag: bool = True, name: str = "a"):
    if flag:
        return x * n
    if name == "b":
        return x.item()
    return x.sum()


@torch.compile(fullgraph=True)
def whole(x: Tensor, scale: float, k: int):
    if x.sum() > 0:
        return x
    if k > 3:
        print(k)
    return x.item() * scale


@torch._dynamo.optimize("eager", nopython=True)
def optimized(x):
    return x.tolist()


@torch.no_grad()
@torch.compile
def both(x: Tensor, *rest: Tensor, **named):
    return [r.item() for r in rest] + [v.item() for v in named.values()]


def drives(loader, model: Stack, config, n):
    fast = torch.compile(Block())
    compiled = torch.compile(Stack(3, config).forward)
    tokens = torch.zeros(1, 3)
    history = torch.zeros(3)
    total = 0
    for i, (x, y) in enumerate(loader):
        fast(x)
        fast(x, n=i)
        fast(x, flag=i > 3)
        step(x, i)
        step(x, n=total, name=str(i))
        step(x, 3)
        step(*[x, i])
        whole(x, 0.1 * i, len(loader))
        whole(x, scale=i / 2, k=n)
        tokens = torch.cat([tokens, fast(tokens)])
        fast(tokens)
        history = torch.cat([history, x])[-10:]
        fast(history)
        fast(x[:i])
        both(x, y, z=y)
        total += 1
        n = n + 1
    while total > 0:
        total -= 1
        fast(tokens, n=total)
        inner = torch.compile(lambda v: v * total)
        inner(tokens)
    for setting in ("eager", "inductor"):
        other = torch.compile(model, backend=setting)
        other(tokens)
    for block in model.blocks:
        block.compile()
        torch.compile(block)
    for _ in range(3):
        if _ == 0:
            one = torch.compile(model)
        two = torch.compile(model)
        three = torch.compile(model) if n else model

        def local(v):
            return v

        four = torch.compile(local)
        with n as ctx:
            five = torch.compile(ctx)
    return compiled, one, two, three, four, five


def lives(model: Stack, path, n):
    fast = torch.compile(model)
    known = torch.compile(Block())
    function = torch.compile(step)
    step_ = torch.compile(takes_none)
    anonymous = torch.compile(lambda v: v)
    isinstance(fast, Stack)
    isinstance(fast, (Stack, Block))
    isinstance(known, nn.Module)
    isinstance(known, dict)
    isinstance(known, nn.Linear)
    isinstance(known, Holder)
    isinstance(function, Stack)
    isinstance(fast)
    type(fast) is Block
    type(known) == Block
    type(known) is Holder
    type(known, 3) is Block
    type(n) is Block
    fast.state_dict()
    known.state_dict()
    known.load_state_dict(torch.load(path))
    known.load_state_dict(fast.state_dict())
    torch.save(known.state_dict(), path)
    known.generate(n)
    built = torch.compile(Stack(3, n))
    built.generate(n)
    built.describe()
    built.absent()
    built.eval()
    built._orig_mod.generate(n)
    built.depth = 4
    fast.generate(n)
    fast.describe()
    torch.jit.script(built)
    torch.jit.trace(known, n)
    torch.jit.script(function)
    pickle.dumps(built)
    pickle.dumps(step_)
    pickle.dumps(anonymous)
    pickle.dump(function, n)
    torch.save(built, path)
    if n:
        known = torch.compile(Block())
    known.generate(n)
    known = n
    known.generate(n)

    def later():
        return built.generate(n), fast.state_dict()

    return later


WRAPPED = torch.compile(Block())
PARTIAL = torch.compile(functools.partial(whole, scale=3.0))
TABLED = torch.compile({"a": Block()}["a"])
METHOD = torch.compile(Block().forward)
DOUBLE = torch.compile(torch.compile(Block()))
CHAIN = torch.compile(nn.Sequential(Block(), nn.ReLU(), Block()))
LIST = [torch.compile(block) for block in (Block(), Stack(3, None))]
NAMED = nn.ModuleDict({"a": Block(), "b": nn.ReLU()})
UNION = torch.compile(Block() if MODE else Stack(3, None))
HELD = Holder(torch.compile(Block()))
EXPORTED = torch.export.export(Block(), (torch.zeros(3),), {"flag": True})
EXPLAINED = torch._dynamo.explain(Block())(torch.zeros(3))
EXPLAINED_OLD = torch._dynamo.explain(Block(), torch.zeros(3), n=4)
OLD = torch._dynamo.export(Block(), torch.zeros(3))
ONNX = torch.onnx.export(Block(), (torch.zeros(3),), dynamo=True)
torch._dynamo.testing.standard_test(None, step, 2)


def uses_globals(x: Tensor, n: int):
    a = WRAPPED.generate(x)
    b = isinstance(WRAPPED, Block)
    c = WRAPPED(x, flag=n)
    d = PARTIAL(x, k=n)
    e = METHOD(x, True)
    f = LIST[0](x)
    g = HELD.model(x)
    h = CHAIN(x)
    i = WRAPPED[0]
    j = [v for v in DOUBLE]
    return a, b, c, d, e, f, g, h, i, j


def unknown_targets(thing, path, loader, things):
    a = torch.compile(thing)
    b = torch.compile(thing.model)
    c = torch.compile(thing.build()[0].model)
    d = torch.compile(load(path))  # noqa: F821
    e = torch.compile(things[0])
    model = load(path)  # noqa: F821
    f = torch.compile(model)
    other = things
    g = torch.compile(other)
    for one in things:
        h = torch.compile(one)
    with thing as opened:
        i = torch.compile(opened)
    j = torch.compile(3)
    k = torch.compile(nowhere)  # noqa: F821
    m = thing.compile(mode="reduce-overhead")
    thing.compile(optimizer="sgd")
    return a, b, c, d, e, f, g, h, i, j, k, m


def settings(n):
    torch._dynamo.config.suppress_errors = True
    torch._dynamo.config.cache_size_limit = n
    torch._inductor.config.triton.cudagraphs = True
    os.environ["TORCHDYNAMO_DISABLE"] = "1"
    os.environ.setdefault("TORCHDYNAMO_SUPPRESS_ERRORS", "1")
    os.environ.setdefault("HOME", "1")
    os.putenv("TORCH_COMPILE_DISABLE", n)
    os.environ.setdefault("TORCH_COMPILE_DISABLE")
    n.environ.setdefault("TORCH_COMPILE_DISABLE", "1")
    torch.compiler.set_stance("force_eager")
    torch.compiler.set_stance()
    n.set_stance("force_eager")
    with torch._dynamo.config.patch(suppress_errors=True):
        step(n)
    with torch._dynamo.config.patch("suppress_errors", True):
        step(n)
    with torch._dynamo.config.patch({"suppress_errors": True, n: 3}):
        step(n)
    with torch._dynamo.config.patch("a", 1, 2), n.config.patch(a=1), n.patch(suppress_errors=True):
        step(n)
    torch.set_float32_matmul_precision("high")
    torch._dynamo.reset()
    match n:
        case 3 if torch._dynamo.config.patch(suppress_errors=True):
            pass


class Service(nn.Module):
    def __init__(self, thing):
        super().__init__()
        self.thing = thing
        self.fast = torch.compile(thing)
        self.known = torch.compile(Block())

    def predict(self, x):
        self.fast.generate(x)
        isinstance(self.known, Block)
        return torch.compile(self.thing)(x)

    def forward(self, x: Tensor):
        self.known.generate(x)
        return self.known(x)


class Deployed(Ray.Deployment):  # noqa: F821
    def predict(self, x):
        return torch.compile(lambda v: v)(x)

    def __call__(self, x):
        return torch.compile(step)(x)


class Lit(lightning.LightningModule):  # noqa: F821
    def training_step(self, batch):
        return torch.compile(self.model)(batch)

    def forward(self, x):
        return torch.compile(lambda v: v)(x)


def route(app):
    @app.post("/predict")
    def predict(x):
        return torch.compile(step)(x)

    @app.task("predict")
    def task(x):
        return torch.compile(step)(x)

    return predict, task


def tested(pytest, unittest):
    with pytest.raises(ValueError):
        torch.compile(step, mode="fastest")
    with unittest.other(ValueError):
        torch.compile(step, mode="fastest")
