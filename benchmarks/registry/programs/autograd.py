"""Custom `autograd.Function`s, gradient hooks, and operators that carry code."""

import torch
from torch import nn
from torch.autograd import Function
from torch.utils.checkpoint import checkpoint


def x3():
    return torch.randn(3)


def leaf():
    return torch.randn(3, requires_grad=True)


class ClampInPlace(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.mark_dirty(x)
        return x.clamp_(min=0)

    @staticmethod
    def backward(ctx, grad):
        return grad


def clamped(x):
    y = x + 1
    return ClampInPlace.apply(y)


class AddInPlace(Function):
    @staticmethod
    def forward(ctx, x, y):
        out = x.add_(y)
        ctx.mark_dirty(x)
        return out, y.clone()

    @staticmethod
    def backward(ctx, grad, other):
        return grad, other


class Accumulator(nn.Module):
    def __init__(self):
        super().__init__()
        self.out = nn.Linear(3, 3)

    def forward(self, x):
        total = torch.zeros(3)
        return self.out(AddInPlace.apply(total, x)[0])


class ClampNew(Function):
    @staticmethod
    def forward(ctx, x):
        return x.clamp(min=0)

    @staticmethod
    def backward(ctx, grad):
        return grad


def clamped_new(x):
    return ClampNew.apply(x + 1)


def make_clamped():
    return clamped, [((leaf(),), {})]


def make_accumulator():
    return Accumulator(), [((leaf(),), {})]


def make_clamped_new():
    return clamped_new, [((leaf(),), {})]


class Keeps(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.set_materialize_grads(False)
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        return None if grad is None else grad * 2


def kept(x):
    return Keeps.apply(x).sum()


def make_unmaterialized():
    return kept, [((leaf(),), {})]


class KeepsDirectly(Function):
    @staticmethod
    def forward(ctx, x):
        ctx._materialize_non_diff_grads = False
        return x * 3

    @staticmethod
    def backward(ctx, grad):
        return grad * 3


class KeepsLayer(nn.Module):
    def forward(self, x):
        return KeepsDirectly.apply(x).relu()


def make_unmaterialized_layer():
    return KeepsLayer(), [((leaf(),), {})]


def kept_directly(x):
    y = x * 2
    return [KeepsDirectly.apply(v) for v in (y, x)][0]


def make_unmaterialized_function():
    return kept_directly, [((leaf(),), {})]


class Product(Function):
    @staticmethod
    def forward(ctx, a, b):
        ctx.save_for_backward(a, b)
        return a * b

    @staticmethod
    def backward(ctx, grad):
        a, b = ctx.saved_tensors
        return grad * b, grad * a


def squared(x):
    return Product.apply(x, x)


def make_product_with_itself():
    return squared, [((leaf(),), {})]


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.proj = nn.Linear(3, 3)

    def forward(self, x):
        q = self.proj(x)
        k = q
        return Product.apply(q, k).softmax(-1)


def make_product_of_projection():
    return Attention(), [((x3(),), {})]


def product(x, y):
    return Product.apply(x, y)


def make_product_of_two():
    return product, [((leaf(), leaf()), {})]


class Doubler:
    def __call__(self, ctx, x):
        return x * 2


class DoubleByObject(Function):
    forward = staticmethod(Doubler())

    @staticmethod
    def backward(ctx, grad):
        return grad * 2


def doubled(x):
    return DoubleByObject.apply(x)


def make_forward_object():
    return doubled, [((leaf(),), {})]


class DoubleLayer(nn.Module):
    def __init__(self):
        super().__init__()
        self.op = DoubleByObject.apply

    def forward(self, x):
        return self.op(x.sin()) + 1


def make_forward_object_layer():
    return DoubleLayer(), [((leaf(),), {})]


class Halver:
    def __call__(self, ctx, grad):
        return grad * 0.5


class HalvesGradient(Function):
    @staticmethod
    def forward(ctx, x):
        return x * 1

    backward = staticmethod(Halver())


def halved_gradient(x):
    return HalvesGradient.apply(x)


def make_backward_object():
    return halved_gradient, [((leaf(),), {})]


class HalvesLayer(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = nn.Parameter(torch.ones(3))

    def forward(self, x):
        for _ in range(2):
            x = HalvesGradient.apply(x * self.scale)
        return x


def make_backward_object_layer():
    return HalvesLayer(), [((x3(),), {})]


class AsksLayout(Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        if grad.layout is torch.strided:
            return grad * 2
        return grad.to_dense() * 2


def asks_layout(x):
    return AsksLayout.apply(x).sum()


def make_backward_asks_layout():
    return asks_layout, [((leaf(),), {})]


class AsksPinned(Function):
    @staticmethod
    def forward(ctx, x):
        return x.exp()

    @staticmethod
    def backward(ctx, grad):
        return grad.clone() if grad.is_pinned() else grad * 1


class PinnedLayer(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = nn.Parameter(torch.ones(3))

    def forward(self, x):
        return AsksPinned.apply(x * self.scale)


def make_backward_asks_pinned():
    return PinnedLayer(), [((x3(),), {})]


class AsksConjugate(Function):
    @staticmethod
    def forward(ctx, x):
        return x.exp()

    @staticmethod
    def backward(ctx, grad):
        return grad.conj() if grad.is_conj() else grad * 1


def asks_conjugate(x):
    return AsksConjugate.apply(x).sum()


def make_backward_asks_conjugate():
    return asks_conjugate, [((leaf(),), {})]


class ImageGradient(Function):
    @staticmethod
    def forward(ctx, x):
        return x * 1

    @staticmethod
    def backward(ctx, grad):
        kind = getattr(grad, "layout")
        return grad if kind == torch.strided else grad * 2


class ImageLayer(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(3, 3)

    def forward(self, x):
        return ImageGradient.apply(self.body(x))


def make_backward_asks_kind():
    return ImageLayer(), [((x3(),), {})]


class AsksType(Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        if grad.dtype is torch.float32:
            return grad * 2
        return grad.float() * 2


def asks_type(x):
    return AsksType.apply(x).sum()


def make_backward_asks_type():
    return asks_type, [((leaf(),), {})]


class Watched(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(3, 3)
        self.norms = []
        self.body.register_full_backward_hook(self.note)

    def note(self, module, grad_input, grad_output):
        self.norms.append(grad_output[0])

    def forward(self, x):
        return self.body(x).relu()


def make_watched_layer():
    return Watched(), [((x3(),), {})]


def halve_all(module, grads):
    return tuple(g * 0.5 for g in grads)


class Chain(nn.Module):
    def __init__(self, layers):
        super().__init__()
        self.layers = layers

    def forward(self, x):
        return self.layers(x) * 2


def make_hooked_sequence():
    net = nn.Sequential(nn.Linear(3, 3), nn.ReLU())
    net[0].register_full_backward_pre_hook(halve_all)
    return Chain(net), [((x3(),), {})]


class WatchedForward(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(3, 3)
        self.body.register_forward_hook(lambda module, args, out: out * 2)

    def forward(self, x):
        return self.body(x).relu()


def make_watched_forward():
    return WatchedForward(), [((x3(),), {})]


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(3, 3)

    def forward(self, x):
        return checkpoint(self.body, x, use_reentrant=False)


def make_recomputed_block():
    return Block(), [((x3(),), {})]
