"""Operators and autograd functions of one's own."""

import torch
from torch.library import custom_op


@custom_op("cgl::double", mutates_args=())
def double(x: torch.Tensor) -> torch.Tensor:
    return x * 2


@double.register_fake
def _(x):
    return torch.empty_like(x)


def plain_operator(x):
    return torch.ops.cgl.double(x) + 1


def make_plain_operator():
    return plain_operator, [((torch.randn(3, 4),), {})]


@custom_op("cgl::peak", mutates_args=(), tags=(torch._C.Tag.cudagraph_unsafe,))
def peak(x: torch.Tensor) -> torch.Tensor:
    return x / x.max().item()


@peak.register_fake
def _(x):
    return torch.empty_like(x)


def unsafe_operator(x):
    return torch.ops.cgl.peak(x + 1) * 2


def make_unsafe_operator():
    return unsafe_operator, [((torch.randn(3, 4),), {})]


@custom_op("cgl::peak_unmarked", mutates_args=())
def peak_unmarked(x: torch.Tensor) -> torch.Tensor:
    return x / x.max().item()


@peak_unmarked.register_fake
def _(x):
    return torch.empty_like(x)


def syncing_operator(x):
    return peak_unmarked(x + 1) * 2


def make_syncing_operator():
    return syncing_operator, [((torch.randn(3, 4),), {})]


@custom_op("cgl::through_host", mutates_args=())
def through_host(x: torch.Tensor) -> torch.Tensor:
    return x.cpu().sort().values.to(x.device)


@through_host.register_fake
def _(x):
    return torch.empty_like(x)


def host_operator(x):
    return through_host(x + 1) * 2


def make_host_operator():
    return host_operator, [((torch.randn(3, 4),), {})]


@custom_op("cgl::scale_", mutates_args={"x"})
def scale_(x: torch.Tensor) -> None:
    x.mul_(2)


def writing_operator(x):
    scale_(x)
    return x + 1


def make_writing_operator():
    return writing_operator, [((torch.randn(3, 4),), {})]


def writing_operator_on_own(x):
    y = x + 1
    scale_(y)
    return y


def make_writing_operator_on_own():
    return writing_operator_on_own, [((torch.randn(3, 4),), {})]


@custom_op("cgl::branching", mutates_args=())
def branching(x: torch.Tensor) -> torch.Tensor:
    if x.sum() > 0:
        return x + 1
    return x - 1


@branching.register_fake
def _(x):
    return torch.empty_like(x)


def branching_operator(x):
    return branching(x) * 2


def make_branching_operator():
    return branching_operator, [((torch.randn(3, 4),), {})]


class Clip(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.clamp(-1, 1)

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return grad * (x.abs() < 1)


def own_function(x):
    return Clip.apply(x) * 2


def make_own_function():
    return own_function, [((torch.randn(3, 4),), {})]


lib = torch.library.Library("cgllib", "DEF")
lib.define("halve(Tensor x) -> Tensor")
lib.define("norm_of(Tensor x) -> Tensor", tags=(torch._C.Tag.cudagraph_unsafe,))


@torch.library.impl(lib, "halve", "CompositeExplicitAutograd")
def halve(x):
    return x / 2


@torch.library.register_fake("cgllib::halve")
def _(x):
    return torch.empty_like(x)


@torch.library.impl(lib, "norm_of", "CompositeExplicitAutograd")
def norm_of(x):
    return x / x.norm().item()


@torch.library.register_fake("cgllib::norm_of")
def _(x):
    return torch.empty_like(x)


def library_operator(x):
    return torch.ops.cgllib.halve(x) + 1


def make_library_operator():
    return library_operator, [((torch.randn(3, 4),), {})]


def unsafe_library_operator(x):
    return torch.ops.cgllib.norm_of(x) + 1


def make_unsafe_library_operator():
    return unsafe_library_operator, [((torch.randn(3, 4),), {})]


def device_synchronized(x):
    y = x * 2
    torch.cuda.synchronize()
    return y + 1


def make_device_synchronized():
    return device_synchronized, [((torch.randn(3, 4),), {})]


def own_stream(x):
    s = torch.cuda.Stream()
    with torch.cuda.stream(s):
        y = x * 2
    torch.cuda.current_stream().wait_stream(s)
    return y + 1


def make_own_stream():
    return own_stream, [((torch.randn(3, 4),), {})]


def timed(x):
    start = torch.cuda.Event(enable_timing=True)
    start.record()
    y = x * 2
    return y


def make_timed():
    return timed, [((torch.randn(3, 4),), {})]


def memory_read(x):
    used = torch.cuda.memory_allocated()
    return x * 2, used


def make_memory_read():
    return memory_read, [((torch.randn(3, 4),), {})]


def named_range(x):
    torch.cuda.nvtx.range_push("block")
    y = x * 2
    torch.cuda.nvtx.range_pop()
    return y


def make_named_range():
    return named_range, [((torch.randn(3, 4),), {})]
