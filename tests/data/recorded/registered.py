"""Operators, gradient functions, generators and caches, as they are written: rightly, wrongly, by every door."""

from collections import OrderedDict

import torch
import triton
from torch import Tensor
from torch.library import Library, custom_op, impl, impl_abstract, register_fake, triton_op, wrap_triton

lib = Library("recorded", "DEF")
lib.define("grow(Tensor(a!) x, int[] sizes, *, float by=1.0) -> Tensor")
lib.define("shrink(Tensor x) -> ()")
lib.define("bare")
torch.library.define("recorded::outside", "(Tensor x, Tensor(b!) y) -> Tensor")
torch.library.define("recorded::whole(Tensor x) -> Tensor")


@impl(lib, "grow", "CPU")
def grow(x, sizes, by=1.0):
    x.mul_(by)
    sizes.add_(1)
    return x


@impl(lib, "shrink", "Meta")
def shrink_meta(x):
    return None


@impl(lib, "shrink", "CUDA")
def shrink(x):
    x -= 1
    x[0] = 2
    x.data.zero_()


lib.impl("outside", grow, "CompositeImplicitAutograd")
lib.impl("recorded::bare", lambda x: x, "AutogradCPU")
torch.library.impl("recorded::outside", "CPU")(grow)


@torch.library.impl("recorded::outside", ["CPU", "CUDA"])
def outside(x, y):
    x += 1
    y.add_(1)
    torch.add(x, y, out=x)
    return x


@register_fake("recorded::outside")
def outside_fake(x, y):
    return torch.empty_like(x)


@impl_abstract("recorded::grow")
def grow_fake(x, sizes, by=1.0):
    return x


@custom_op("recorded::one", mutates_args=["y"])
def one(x: Tensor, y: Tensor, n: int, out: Tensor) -> Tensor:
    y.add_(1)
    n += 1
    x[0] = 3
    x.data += 1
    torch.mul(x, 2, out=out)
    return x


@one.register_fake
def one_fake(x, y, n, out):
    return x


@one.register_autograd
def one_grad(ctx, grad):
    return grad


@custom_op("recorded::two", mutates_args={})
def two(x: Tensor) -> Tensor:
    x = x.clone()
    x.add_(1)
    return x


@custom_op("recorded::three", mutates_args="unknown")
def three(x: Tensor) -> Tensor:
    x.add_(1)
    x.requires_grad_()
    return x


@custom_op("noname", mutates_args=())
def noname(x: Tensor) -> Tensor:
    return x


@custom_op(__name__ + "::four", mutates_args=())
def four(x: Tensor) -> Tensor:
    return x


def plain(x: Tensor, y) -> Tensor:
    y.zero_()
    for y in (1, 2):
        pass
    return x + 1


five = custom_op("recorded::five", plain, mutates_args=())
six = custom_op("recorded::six", mutates_args=())(plain)
five.register_fake(lambda x, y: x)
torch.library.register_autograd(five, lambda ctx, grad: grad)
torch.library.register_fake(six, plain)
torch.library.register_kernel("recorded::one", "cuda", plain)


@triton.jit
def kernel(x, n):
    return x


@triton.autotune
@triton.jit
def tuned(x):
    return x


def no_kernel(x):
    return x


@triton_op("recorded::seven", mutates_args={})
def seven(x: Tensor) -> Tensor:
    kernel[(1,)](x, 3)
    tuned[(1,)](x)
    no_kernel[(1,)](x)
    wrap_triton(kernel)[(1,)](x, 3)
    return x


@torch.compile
def uses(x: Tensor, y: Tensor):
    kernel[(1,)](x, 3)
    a = torch.ops.recorded.grow(x, [1])
    b = torch.ops.elsewhere.thing(x)
    c = torch.ops.elsewhere.thing.default(x)
    d = torch.ops.aten.add(x, y)
    e = one(x, y, 3, x)
    f = five(x, y)
    g = seven(x)
    h = ops.recorded.grow(x)  # noqa: F821
    return a, b, c, d, e, f, g, h


def not_compiled(x: Tensor):
    return torch.ops.elsewhere.thing(x)


def trains(x: Tensor):
    loss = one(x, x, 3, x).sum()
    loss.backward()


class Saves(torch.autograd.Function):
    kept = None

    @staticmethod
    def forward(ctx, x, weight, by: int, flag: bool = False):
        ctx.save_for_backward(x, weight)
        ctx.weight = weight
        ctx.by = by
        Saves.kept = x
        x.add_(1)
        return x * weight

    @staticmethod
    def backward(ctx, grad, other=None):
        x, weight = ctx.saved_tensors
        rows = [grad]
        x.mul_(2)
        grad.mul_(3)
        x = x.clone()
        x.add_(1)
        for grad_row, (a, *b) in rows:
            grad_row.add_(1)
            a.add_(1)
            b.add_(1)
        return grad * weight, None, grad


class Counts(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, y, n: int):
        ctx.save_for_backward(x)
        ctx.needs = n
        return x, y

    @staticmethod
    def backward(ctx, grad_x, grad_y):
        (x,) = ctx.saved_tensors
        x.add_(1)
        gx = gy = None
        if ctx.needs_input_grad[0]:
            gx = grad_x
        if ctx.needs:
            return
        if gx is None:
            return None
        if gy is None:
            return (*rows,)  # noqa: F821
        return gx


class Exact(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, n: int):
        ctx.save_for_backward(x, x + 1)
        ctx.mark_non_differentiable(x)
        return x

    @staticmethod
    def backward(ctx, grad):
        x, y = ctx.saved_tensors
        return grad * x, n  # noqa: F821


class Instance(torch.autograd.Function):
    def forward(self, x):
        self.save_for_backward(x)
        return x

    def backward(self, grad):
        return grad


def applied(x: Tensor):
    a = Saves.apply(x, x, 3)
    b = Counts.apply(x, x, 3)
    c = Instance()(x)
    d = Exact.apply(x, 2)
    return a, b, c, d


class Cache(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.kept = OrderedDict()
        self.state = 0

    def draw(self, x):
        with x:
            yield x
        self.state = 1

    def plainly(self, x):
        for v in x:
            self.state += 1
            yield v

    def safely(self, x):
        try:
            yield x
        finally:
            self.state = 1

    def carefully(self, x):
        try:
            yield x
        except ValueError:
            yield 3

    def forward(self, x: Tensor, key: str):
        self.kept.move_to_end(key)
        if len(self.kept) > 3:
            self.kept.popitem(last=False)
        for v in self.draw(x):
            break
        for v in self.draw(x):
            x = v
        for v in self.safely(x):
            return v
        for v in self.plainly(x):
            if key:
                break
        for v in self.carefully(x):
            for w in v:
                break
        return x

    def evicts(self, key):
        self.kept.popitem()

    def moves(self, key):
        self.kept.move_to_end(key)
        return self.kept[key]


def closes(key):
    kept = OrderedDict()
    outer = 3

    def touch(name):
        kept.move_to_end(name)
        kept.popitem()

    def far():
        def near(name):
            kept.popitem()
            outer.popitem()
            key.popitem()

        return near

    def draws():
        nonlocal outer
        for v in range(3):
            outer = v
            yield v

    def own():
        kept = OrderedDict()
        kept.popitem()

    @torch.compile
    def runs(x: Tensor):
        for v in draws():
            break
        for v in gives(x):
            if v:
                return v
        next(gives(x))
        it = gives(x)
        for v in it:
            break
        touch("a")
        return x

    return touch, far, draws, own, runs


GLOBAL = OrderedDict()


def gives(x):
    global GLOBAL
    GLOBAL = x
    with torch.no_grad():
        yield x
    GLOBAL.popitem()
    x.a.b.popitem()
    x[0].popitem()
