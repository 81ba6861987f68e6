"""TENSOR_MATCH, requires_grad: a kept tensor comes back with or without gradients."""

from __future__ import annotations

import torch
from torch import nn

X = torch.ones(2, 4)


class KeptState(nn.Module):
    """The state is not detached."""

    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(4, 4)
        self.state = torch.zeros(2, 4)

    def forward(self, x):
        self.state = torch.tanh(self.lin(x) + self.state)
        return self.state


def make_state_with_gradients():
    return KeptState(), (X,)


class Ema(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(4))
        self.register_buffer("mean", torch.zeros(4))

    def forward(self, x):
        y = x * self.weight
        self.mean = self.mean * 0.9 + y.mean(0) * 0.1
        return y - self.mean


def make_buffer_with_gradients():
    return Ema(), (X,)


class Loss(nn.Module):
    def __init__(self):
        super().__init__()
        self.head = nn.Linear(4, 1)
        self.total = torch.zeros(())

    def forward(self, x):
        self.total = self.total + self.head(x).sum()
        return self.total * 1.0


def make_loss_summed():
    return Loss(), (X,)


class Previous:
    def __init__(self):
        self.out = torch.zeros(2, 4)


class WithPrevious(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(4, 4)
        self.previous = Previous()

    def forward(self, x):
        y = self.lin(x) + self.previous.out
        self.previous.out = y
        return y


def make_object_keeps_output():
    return WithPrevious(), (X,)


class InDict(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(4, 4)
        self.kept = {"h": torch.zeros(2, 4)}

    def forward(self, x):
        h = self.lin(x) + self.kept["h"]
        self.kept["h"] = h
        return h


def make_dict_keeps_output():
    return InDict(), (X,)


class InList(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(4, 4)
        self.kept = [torch.zeros(2, 4)]

    def forward(self, x):
        h = self.lin(x) + self.kept[0]
        self.kept[0] = h
        return h


def make_list_keeps_output():
    return InList(), (X,)


class Detached(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(4, 4)
        self.state = torch.zeros(2, 4)

    def forward(self, x):
        out = torch.tanh(self.lin(x) + self.state)
        self.state = out.detach()
        return out


def make_state_detached():
    return Detached(), (X,)


class NoGrad(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(4))
        self.register_buffer("mean", torch.zeros(4))

    def forward(self, x):
        y = x * self.weight
        with torch.no_grad():
            self.mean = self.mean * 0.9 + y.mean(0) * 0.1
        return y - self.mean


def make_buffer_under_no_grad():
    return NoGrad(), (X,)


class NoParameters(nn.Module):
    def __init__(self):
        super().__init__()
        self.state = torch.zeros(2, 4)

    def forward(self, x):
        self.state = torch.tanh(x + self.state)
        return self.state * 2


def make_no_parameters():
    return NoParameters(), (X,)


class FrozenLayer(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(4, 4)
        self.state = torch.zeros(2, 4)
        for p in self.parameters():
            p.requires_grad = False

    def forward(self, x):
        self.state = torch.tanh(self.lin(x) + self.state)
        return self.state * 1


def make_frozen_parameters():
    return FrozenLayer(), (X,)


class Indices(nn.Module):
    """What comes of an argmax has no gradient."""

    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(4, 4)
        self.last = torch.zeros(2, dtype=torch.int64)

    def forward(self, x):
        scores = self.lin(x)
        same = (scores.argmax(-1) == self.last).float()
        self.last = scores.argmax(-1)
        return scores * same[:, None]


def make_indices_kept():
    return Indices(), (X,)


class OnlyKept(nn.Module):
    """Kept, and never read by the region."""

    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(4, 4)
        self.features = torch.zeros(2, 4)

    def forward(self, x):
        self.features = self.lin(x)
        return self.features * 2


def make_output_only_written():
    return OnlyKept(), (X,)
