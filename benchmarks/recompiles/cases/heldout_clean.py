"""Near misses: the half that was put aside before anything was tuned."""

from __future__ import annotations

import enum

import torch
from torch import nn

X = torch.ones(2, 4)


class TensorMeter(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("total", torch.zeros(()))
        self.register_buffer("count", torch.zeros(()))

    def forward(self, x):
        self.total = self.total + x.detach().sum()
        self.count = self.count + x.numel()
        return x - self.total / self.count


def make_tensor_meter():
    return TensorMeter(), (X,)


class TrainingStep(nn.Module):
    """Counts while training only, and is called for evaluation."""

    def __init__(self):
        super().__init__()
        self.steps = 0

    def forward(self, x):
        if self.training:
            self.steps += 1
        return x * 2


def make_training_count_in_eval():
    return TrainingStep().eval(), (X,)


class FixedSlots(nn.Module):
    def __init__(self):
        super().__init__()
        self.slots = [torch.zeros(4), torch.zeros(4)]

    def forward(self, x):
        self.slots[0] = self.slots[1]
        self.slots[1] = x.detach().mean(0)
        return x + self.slots[0]


def make_fixed_slots():
    return FixedSlots(), (X,)


class FreshDict(nn.Module):
    def __init__(self):
        super().__init__()
        self.cache = {}

    def project(self, name, x):
        self.cache[name] = x * 2

    def forward(self, x):
        self.cache = {}
        self.project("q", x)
        self.project("k", x)
        return self.cache["q"] @ self.cache["k"].t()


def make_dict_made_again():
    return FreshDict(), (X,)


class ExternalClock(nn.Module):
    """A trainer advances it; the region only reads it."""

    def __init__(self):
        super().__init__()
        self.epoch = 0

    def set_epoch(self, epoch):
        self.epoch = epoch

    def advance(self):
        self.epoch += 1

    def forward(self, x):
        return x * (1.0 if self.epoch < 5 else 0.1)


def make_epoch_set_outside():
    return ExternalClock(), (X,)


class Resettable(nn.Module):
    """Set up in the constructor; `reset` is never called inside."""

    def __init__(self):
        super().__init__()
        self.state = None
        self.reset(4)

    def reset(self, n=None):
        self.state = torch.zeros(n or 4)

    def forward(self, x):
        if self.state is None:
            self.reset(x.shape[-1])
        self.state = torch.tanh(self.state + x.detach().mean(0))
        return x + self.state


def make_reset_in_constructor():
    return Resettable(), (X,)


class Swap(nn.Module):
    def __init__(self):
        super().__init__()
        self.front = torch.zeros(4)
        self.back = torch.ones(4)

    def forward(self, x):
        self.front, self.back = self.back, self.front
        return x + self.front


def make_swapped_buffers():
    return Swap(), (X,)


class Halting(nn.Module):
    """A loop with a counter of its own."""

    def __init__(self, limit=3):
        super().__init__()
        self.limit = limit
        self.lin = nn.Linear(4, 4)

    def forward(self, x):
        step = 0
        while step < self.limit:
            x = torch.tanh(self.lin(x))
            step += 1
        return x / step


def make_loop_counter():
    return Halting(), (X,)


def collect_inside(x):
    outs = []

    def keep(y):
        outs.append(y)
        return y * 2

    for _ in range(3):
        x = keep(x)
    return torch.stack(outs).sum(0)


def make_list_of_the_call():
    return collect_inside, (X,)


class FirstLayer(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(4, 4), nn.Linear(4, 4)])

    def forward(self, x):
        first = next(iter(self.layers))
        weight = next(self.parameters())
        return first(x) + weight.sum()


def make_next_of_fresh_iterator():
    return FirstLayer(), (X,)


class Mode(enum.Enum):
    TRAIN = "train"
    TEST = "test"


class WithMode(nn.Module):
    def __init__(self):
        super().__init__()
        self.mode = Mode.TRAIN

    def forward(self, x):
        if self.mode is Mode.TRAIN:
            return x + torch.rand_like(x)
        return x


def make_enum_mode():
    return WithMode(), (X,)


class GateLoss(nn.Module):
    """The auxiliary loss is left on the layer, for the model to pick up."""

    def __init__(self):
        super().__init__()
        self.gate = nn.Linear(4, 2)
        self.aux_loss = None

    def forward(self, x):
        probs = self.gate(x).softmax(-1)
        self.aux_loss = probs.mean(0).pow(2).sum()
        return probs


class Moe(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([GateLoss(), GateLoss()])

    def forward(self, x):
        total = 0.0
        out = 0.0
        for layer in self.layers:
            out = out + layer(x)
            total = total + layer.aux_loss
        return out + total


def make_aux_loss_attribute():
    return Moe(), (X,)


class LengthOfCall(nn.Module):
    def __init__(self):
        super().__init__()
        self.seq_len = 0

    def forward(self, x):
        self.seq_len = x.shape[0]
        return x * self.mask()

    def mask(self):
        return torch.arange(self.seq_len).unsqueeze(-1) < 1


def make_length_of_this_call():
    return LengthOfCall(), (X,)


class InPlaceState(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("hidden", torch.zeros(2, 4))

    def forward(self, x):
        self.hidden.copy_(torch.tanh(x.detach() + self.hidden))
        return self.hidden + x


def make_state_in_place():
    return InPlaceState(), (X,)


class SpectralPower(nn.Module):
    """One step of power iteration in every call."""

    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.eye(4))
        self.register_buffer("u", torch.ones(4))

    def forward(self, x):
        with torch.no_grad():
            v = nn.functional.normalize(self.weight.t() @ self.u, dim=0)
            self.u = nn.functional.normalize(self.weight @ v, dim=0)
        sigma = self.u @ self.weight @ v
        return x @ (self.weight / sigma)


def make_power_iteration():
    return SpectralPower(), (X,)


class Guarded(nn.Module):
    """The checks of the first call happen in the constructor."""

    def __init__(self):
        super().__init__()
        self.checked = True
        self.names = ["a", "b"]
        self.names.append("c")

    def forward(self, x):
        if not self.checked:
            self.names.append("late")
            self.checked = True
        return x * len(self.names)


def make_checked_already():
    return Guarded(), (X,)


class BatchNormed(nn.Module):
    def __init__(self):
        super().__init__()
        self.bn = nn.BatchNorm1d(4)
        self.momentum = 0.1

    def forward(self, x):
        return self.bn(x) * self.momentum


def make_batch_norm():
    return BatchNormed(), (X,)


def total_of(x, parts={"w": 2.0, "b": 1.0}):  # noqa: B006
    return x * parts["w"] + parts["b"]


def make_default_dict_only_read():
    return total_of, (X,)


class Config:
    def __init__(self):
        self.depth = 3
        self.scale = 0.25


_CONFIG = Config()


def configured(x):
    for _ in range(_CONFIG.depth):
        x = x * _CONFIG.scale
    return x


def make_global_config():
    return configured, (X,)


class Copies(nn.Module):
    """A counter is copied to a local variable, and only that one changes."""

    def __init__(self):
        super().__init__()
        self.base = 1
        self.sizes = [1, 2]

    def forward(self, x):
        n = self.base
        sizes = list(self.sizes)
        for _ in range(2):
            n += 1
            sizes.append(n)
        return x * n * len(sizes)


def make_local_copies():
    return Copies(), (X,)
