"""What stands around compiled code: wrappers and their lives, operators, gradients."""
import copy
import pickle

import torch
from torch import Tensor, nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 3)
        self.cache = {}

    def forward(self, x: Tensor):
        return self.layer(x)


def kept(xs, flag):
    model = Net()
    fast = torch.compile(model, mode="reduce-overhead")
    outs = []
    for x in xs:
        outs.append(fast(x))
    outs.extend([fast(x)])
    last = fast(torch.full((3, 3), 1.0))
    fast(torch.zeros(4, 3))
    fast(torch.rand(5, 3))
    fast(torch.ones(6, 3))
    return outs, last


def changed(x):
    fast = torch.compile(Net())
    fast(x)
    fast.half()
    fast(x)
    with torch.autocast("cuda"):
        fast(x)
    fast.eval()
    fast.train()
    return fast(x)


def stored(x):
    model = Net()
    fast = torch.compile(model)
    torch.save(fast.state_dict(), "a.pt")
    torch.save(fast, "b.pt")
    pickle.dumps(fast)
    copy.deepcopy(fast)
    model.load_state_dict(torch.load("a.pt"))
    isinstance(fast, Net)
    type(fast) is Net
    fast.layer = nn.Linear(3, 4)
    fast.describe = 3
    return fast.cache, model(x)


def loops(loader):
    model = Net()
    for x in loader:
        step = torch.compile(model)
        step(x)
    for _ in range(3):
        torch._dynamo.reset()
    opt = torch.optim.SGD(model.parameters())
    fast = torch.compile(model)
    for x in loader:
        opt.zero_grad()
        loss = fast(x).sum()
        loss.backward()
        opt.step()
        print(loss.item())


@torch.library.custom_op("recorded::scaled", mutates_args=())
def scaled(x: Tensor, by: float) -> Tensor:
    x.mul_(by)
    return x


@torch.library.custom_op("recorded::clean", mutates_args=("x",))
def clean(x: Tensor) -> None:
    x.zero_()


@clean.register_fake
def _(x):
    return None


class Twice(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, by):
        ctx.by = by
        ctx.x = x
        ctx.save_for_backward(x)
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        grad.mul_(2)
        return grad


def uses(x: Tensor):
    y = Twice.apply(x, 2)
    z = scaled(y, 2.0)
    clean(z)
    return z.sum().backward()


@torch.compile
def compiled(x: Tensor):
    return scaled(x, 1.0)


@torch.compile(fullgraph=True, dynamic=True)
def strict(x: Tensor, n: int):
    if n > 3:
        return x.item()
    return compiled(x)


@torch.no_grad()
def helper(x: Tensor):
    return x.numpy()


fast = torch.compile(Net().forward)
other = torch.jit.script(Net())
exported = torch.export.export(Net(), (torch.zeros(3),))
