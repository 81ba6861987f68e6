"""Results that outlive the call that made them."""

import torch
from torch import nn

HISTORY = []
LAST = {}


class GrowingKeys(nn.Module):
    def __init__(self):
        super().__init__()
        self.keys = None

    def forward(self, x):
        self.keys = x if self.keys is None else torch.cat([self.keys, x], 1)
        return self.keys.sum(1)


def make_growing_keys():
    return GrowingKeys(), [((torch.randn(3, 1, 4),), {})]


class StateBuffer(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("state", torch.zeros(3, 4))

    def forward(self, x):
        self.state.copy_(torch.tanh(self.state + x))
        return self.state * 2


def make_state_buffer():
    return StateBuffer(), [((torch.randn(3, 4),), {})]


class StateAttribute(nn.Module):
    def __init__(self):
        super().__init__()
        self.state = None

    def forward(self, x):
        h = x if self.state is None else x + self.state
        self.state = torch.tanh(h)
        return self.state * 2


def make_state_attribute():
    return StateAttribute(), [((torch.randn(3, 4),), {})]


class NeverRead(nn.Module):
    def __init__(self):
        super().__init__()
        self.attention = None

    def forward(self, x):
        w = x.softmax(-1)
        self.attention = w
        return w * x


def make_never_read():
    return NeverRead(), [((torch.randn(3, 4),), {})]


class ReadInSameCall(nn.Module):
    def __init__(self):
        super().__init__()
        self.aux = None

    def block(self, x):
        self.aux = x.mean()
        return x * 2

    def forward(self, x):
        y = self.block(x)
        return y, self.aux


def make_read_in_same_call():
    return ReadInSameCall(), [((torch.randn(3, 4),), {})]


class BufferRebound(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("count", torch.zeros(()))

    def forward(self, x):
        self.count = self.count + 1
        return x * self.count


def make_buffer_rebound():
    return BufferRebound(), [((torch.randn(3, 4),), {})]


class Losses(nn.Module):
    def __init__(self):
        super().__init__()
        self.losses = []

    def forward(self, x):
        y = x * 2
        self.losses.append(y.mean())
        return y


def make_losses():
    return Losses(), [((torch.randn(3, 4),), {})]


class LossesCleared(nn.Module):
    def __init__(self):
        super().__init__()
        self.losses = []

    def forward(self, x):
        self.losses.clear()
        y = x * 2
        self.losses.append(y.mean())
        return y, sum(self.losses)


def make_losses_cleared():
    return LossesCleared(), [((torch.randn(3, 4),), {})]


def global_history(x):
    y = x * 2
    HISTORY.append(y)
    return y


def make_global_history():
    return global_history, [((torch.randn(3, 4),), {})]


def global_last(x):
    y = x * 2
    if "y" in LAST:
        y = y + LAST["y"]
    LAST["y"] = y
    return y


def make_global_last():
    return global_last, [((torch.randn(3, 4),), {})]


def closure_counter():
    seen = []

    def run(x):
        seen.append(x.mean())
        return torch.stack(seen).sum() + x

    return run


def make_closure_counter():
    return closure_counter(), [((torch.randn(3, 4),), {})]


def local_list(x):
    seen = []
    for i in range(3):
        seen.append(x.mean() * i)
    return torch.stack(seen)


def make_local_list():
    return local_list, [((torch.randn(3, 4),), {})]


class LazyMask(nn.Module):
    def __init__(self):
        super().__init__()
        self.mask = None

    def forward(self, x):
        if self.mask is None:
            self.mask = torch.ones(x.shape[-1], x.shape[-1], device=x.device).tril()
        return x * self.mask


def make_lazy_mask():
    return LazyMask(), [((torch.randn(4, 4),), {})]


class EagerMask(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("mask", torch.ones(4, 4).tril(), persistent=False)

    def forward(self, x):
        return x * self.mask


def make_eager_mask():
    return EagerMask(), [((torch.randn(4, 4),), {})]


class RotaryCache(nn.Module):
    def __init__(self):
        super().__init__()
        self.length = 0
        self.cos = None

    def forward(self, x):
        if x.shape[1] > self.length:
            self.length = x.shape[1]
            self.cos = torch.arange(self.length, device=x.device).float().cos()
        return x * self.cos[: x.shape[1], None]


def make_rotary_cache():
    return RotaryCache(), [((torch.randn(2, 4, 3),), {})]


def same_tensor_returned(x):
    return x, x * 2


def make_same_tensor_returned():
    return same_tensor_returned, [((torch.randn(3, 4),), {})]


def view_returned(x):
    return x.view(-1), x * 2


def make_view_returned():
    return view_returned, [((torch.randn(3, 4),), {})]


class PreviousInput(nn.Module):
    def __init__(self):
        super().__init__()
        self.previous = None

    def forward(self, x):
        y = x if self.previous is None else x - self.previous
        self.previous = x
        return y * 2


def make_previous_input():
    return PreviousInput(), [((torch.randn(3, 4),), {})]


class PreviousClone(nn.Module):
    def __init__(self):
        super().__init__()
        self.previous = None

    def forward(self, x):
        y = x if self.previous is None else x - self.previous
        self.previous = (x * 1.0).clone()
        return y * 2


def make_previous_clone():
    return PreviousClone(), [((torch.randn(3, 4),), {})]


class KeepsList(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(4, 4)
        self.features = {}

    def forward(self, x):
        y = self.linear(x)
        self.features["linear"] = y
        return y


def make_keeps_list():
    return KeepsList(), [((torch.randn(3, 4),), {})]


def caller_list(x, sink):
    y = x * 2
    sink.append(y)
    return y.sum()


def make_caller_list():
    return caller_list, [((torch.randn(3, 4), []), {})]


def caller_dict(x, sink):
    y = x * 2
    sink["y"] = y
    return y.sum()


def make_caller_dict():
    return caller_dict, [((torch.randn(3, 4), {}), {})]
