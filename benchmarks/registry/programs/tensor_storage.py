"""Tensors whose size, storage or gradient flag is changed in place, hooks on them, and their addresses."""

import torch
from torch import nn


def x3():
    return torch.randn(3)


def grown(x):
    y = x.clone()
    y.resize_(6)
    return y[:3] * 2


def make_grown():
    return grown, [((x3(),), {})]


class Workspace(nn.Module):
    def reserve(self, like, count):
        space = torch.zeros_like(like)
        return space.resize_(count)

    def forward(self, x):
        space = self.reserve(x, 6)
        return x + space.zero_()[:3]


def make_workspace():
    return Workspace(), [((x3(),), {})]


def fresh_space(x):
    space = x.new_empty(6).zero_()
    return x + space[:3]


def make_fresh_space():
    return fresh_space, [((x3(),), {})]


def grown_as(x, like):
    y = x.clone()
    y.resize_as_(like)
    return y * 2


def make_grown_as():
    return grown_as, [((x3(), torch.randn(2)), {})]


class Recycles(nn.Module):
    def fitted(self, cache, part):
        return cache.resize_as_(part).copy_(part)

    def forward(self, x):
        cache = torch.zeros(8)
        total = 0
        for part in x.unbind(0):
            total = total + self.fitted(cache, part)
        return total


def make_recycles():
    return Recycles(), [((torch.randn(2, 3),), {})]


def reshaped_as(x, like):
    return x[:2].reshape_as(like) * 2


def make_reshaped_as():
    return reshaped_as, [((x3(), torch.randn(2)), {})]


def shared_storage(x):
    y = torch.empty(0)
    y.set_(x.untyped_storage(), 0, (3,))
    return x + 1


def make_shared_storage():
    return shared_storage, [((x3(),), {})]


class Window(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("ring", torch.arange(6.0))

    def view_from(self, start):
        view = torch.empty(0)
        return view.set_(self.ring.untyped_storage(), start, (3,), (1,))

    def forward(self, x):
        return x + self.view_from(1)


def make_window():
    return Window(), [((x3(),), {})]


def replaced(x, y):
    z = x.clone()
    z.set_(y)
    return z * 2


def make_replaced():
    return replaced, [((x3(), x3()), {})]


def marks_input(x):
    x.requires_grad_()
    return x * 2


def make_marks_input():
    return marks_input, [((x3(),), {})]


class Adversary(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Linear(3, 3)

    def prepare(self, image):
        return image.requires_grad_(True)

    def forward(self, image):
        image = self.prepare(image)
        return self.net(image).sum()


def make_adversary():
    return Adversary(), [((x3(),), {})]


def marks_marked(x):
    x.requires_grad_()
    return x * 2


def make_marks_marked():
    return marks_marked, [((x3().requires_grad_(),), {})]


def marks_activation(x):
    y = x.detach() * 2
    y.requires_grad_()
    return y + 1


def make_marks_activation():
    return marks_activation, [((x3(),), {})]


class Latents(nn.Module):
    def fresh(self, like):
        return torch.zeros_like(like).requires_grad_(True)

    def forward(self, x):
        latent = self.fresh(x)
        return x, latent


def make_latents():
    return Latents(), [((x3(),), {})]


def marks_and_detaches(x):
    y = torch.zeros_like(x)
    y.requires_grad_()
    return (y * x).detach()


def make_marks_and_detaches():
    return marks_and_detaches, [((x3(),), {})]


def shared_memory(x):
    y = x * 2
    y.share_memory_()
    return y


def make_shared_memory():
    return shared_memory, [((x3(),), {})]


class Publishes(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("board", torch.zeros(3))

    def forward(self, x):
        self.board.share_memory_()
        return self.board + x


def make_publishes():
    return Publishes(), [((x3(),), {})]


def asks_sharing(x):
    return x * 2 if x.dtype is torch.float32 else x


def make_asks_dtype():
    return asks_sharing, [((x3(),), {})]


def contiguous_gradient(grad):
    if grad.is_contiguous():
        return grad * 2
    return grad


def hooked(x):
    y = x * 2
    y.register_hook(contiguous_gradient)
    return y.sum()


def make_hook_asks_layout():
    return hooked, [((x3().requires_grad_(),), {})]


class HookedLayer(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(3, 3)

    def forward(self, x):
        h = self.body(x)
        h.register_hook(lambda grad: grad.clone() if grad.is_contiguous() else grad.contiguous())
        return h.relu()


def make_hooked_layer():
    return HookedLayer(), [((x3(),), {})]


def scaled_gradient(x):
    y = x * 2
    y.register_hook(lambda grad: grad * 0.5)
    return y.sum()


def make_hook_scales():
    return scaled_gradient, [((x3().requires_grad_(),), {})]


def accumulate_hook(x):
    y = torch.zeros_like(x).requires_grad_()
    y.register_post_accumulate_grad_hook(lambda t: None)
    return (x * y).detach()


def make_accumulate_hook():
    return accumulate_hook, [((x3(),), {})]


class Accumulates(nn.Module):
    def __init__(self):
        super().__init__()
        self.steps = []

    def note(self, tensor):
        self.steps.append(tensor.grad)

    def forward(self, x):
        delta = torch.ones(3, requires_grad=False).requires_grad_()
        delta.register_post_accumulate_grad_hook(self.note)
        return (x + delta).detach()


def make_accumulates():
    return Accumulates(), [((x3(),), {})]


def same_memory(x, y):
    if x.data_ptr() == y.data_ptr():
        return x
    return x + y


def make_same_memory():
    return same_memory, [((x3(), x3()), {})]


class Aliases(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = nn.Linear(3, 3)
        self.decoder = nn.Linear(3, 3)

    @property
    def tied(self):
        return self.encoder.weight.data_ptr() != self.decoder.weight.data_ptr()

    def forward(self, x):
        h = self.encoder(x)
        return self.decoder(h) if self.tied else h


def make_aliases():
    return Aliases(), [((x3(),), {})]


def same_object(x, y):
    if x is y:
        return x
    return x + y


def make_same_object():
    return same_object, [((x3(), x3()), {})]


def own_memory(x):
    if x.data_ptr() == x.data_ptr():
        return x * 2
    return x


def make_own_memory():
    return own_memory, [((x3(),), {})]


def has_memory(x):
    if x.data_ptr():
        return x * 2
    return x


def make_has_memory():
    return has_memory, [((x3(),), {})]


class Loaded(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(3))

    def ready(self):
        return self.weight.data_ptr()

    def forward(self, x):
        return x * self.weight if self.ready() else x


def make_loaded():
    return Loaded(), [((x3(),), {})]


def has_elements(x):
    return x * 2 if x.numel() else x


def make_has_elements():
    return has_elements, [((x3(),), {})]
