"""State that the code changes and a guard reads: the half that was put aside before anything was tuned."""

from __future__ import annotations

import collections

import torch
from torch import nn

X = torch.ones(2, 4)


class Tracked(nn.Module):
    """The base class counts for its children."""

    def __init__(self):
        super().__init__()
        self.num_calls = 0

    def forward(self, x):
        self.num_calls = self.num_calls + 1
        return x + 1


class Child(Tracked):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(4, 4)

    def forward(self, x):
        return self.lin(super().forward(x))


def make_counter_in_base_class():
    return Child(), (X,)


class NamedCounter(nn.Module):
    def __init__(self):
        super().__init__()
        self.hits = 0

    def bump(self, name):
        setattr(self, name, getattr(self, name) + 1)

    def forward(self, x):
        self.bump("hits")
        return x * 2


def make_setattr_counter():
    return NamedCounter(), (X,)


class LayeredCache(nn.Module):
    """One tensor a layer, in a list, each longer after every call."""

    def __init__(self, layers=2):
        super().__init__()
        self.past = [torch.zeros(0, 4) for _ in range(layers)]
        self.blocks = nn.ModuleList([nn.Linear(4, 4) for _ in range(layers)])

    def forward(self, x):
        for i, block in enumerate(self.blocks):
            self.past[i] = torch.cat([self.past[i], block(x).detach()], dim=0)
            x = x + self.past[i].mean(0)
        return x


def make_cache_list_of_layers():
    return LayeredCache(), (X,)


class TokenCounts(nn.Module):
    def __init__(self):
        super().__init__()
        self.seen = collections.Counter()

    def forward(self, x):
        self.seen[x.shape[-1]] += 1
        return x.exp()


def make_collections_counter():
    return TokenCounts(), (X,)


class GumbelAnneal(nn.Module):
    def __init__(self):
        super().__init__()
        self.tau = 2.0
        self.min_tau = 0.5

    def forward(self, x):
        y = (x / self.tau).softmax(-1)
        self.tau = max(self.min_tau, self.tau * 0.9)
        return y


def make_annealed_float():
    return GumbelAnneal(), (X,)


class WarmUp(nn.Module):
    """A flag that a counter switches."""

    def __init__(self):
        super().__init__()
        self.remaining = 3
        self.warm = False

    def forward(self, x):
        if not self.warm:
            self.remaining -= 1
            if self.remaining == 0:
                self.warm = True
        return x * 2 if self.warm else x * 0.5


def make_warm_up_countdown():
    return WarmUp(), (X,)


class MemoryBank(nn.Module):
    def __init__(self):
        super().__init__()
        self.bank = []

    def forward(self, x):
        self.bank = self.bank[-3:] + [x.detach().mean(0)]
        return x @ torch.stack(self.bank).t()


def make_memory_bank_slices():
    return MemoryBank(), (X,)


STATS: dict[str, int] = {}


def counted(x):
    STATS["calls"] = STATS.get("calls", 0) + 1
    return x.sigmoid()


def make_global_stats_get():
    return counted, (X,)


class AverageMeter:
    def __init__(self):
        self.sum = 0.0
        self.count = 0

    def update(self, n):
        self.sum += n * 0.5
        self.count += n


class Metered(nn.Module):
    def __init__(self):
        super().__init__()
        self.meter = AverageMeter()

    def forward(self, x):
        self.meter.update(x.shape[0])
        return x - self.meter.sum / self.meter.count


def make_average_meter():
    return Metered(), (X,)


def hooked():
    model = nn.Sequential(nn.Linear(4, 4), nn.ReLU())
    activations = []

    def save(module, inputs, output):
        activations.append(output.detach())

    model[0].register_forward_hook(save)
    return model


def make_hook_collects():
    return hooked(), (X,)


class LazyWeights(nn.Module):
    """A property that computes once."""

    def __init__(self):
        super().__init__()
        self._weights = None

    @property
    def weights(self):
        if self._weights is None:
            self._weights = torch.linspace(0, 1, 4)
        return self._weights

    def forward(self, x):
        return x * self.weights


def make_lazy_property():
    return LazyWeights(), (X,)


class Tokens:
    """A generator that lives outside the call."""

    def __init__(self):
        self.source = iter([1.0, 2.0, 3.0, 4.0] * 5)


class Noisy(nn.Module):
    def __init__(self):
        super().__init__()
        self.tokens = Tokens()

    def forward(self, x):
        return x + next(self.tokens.source)


def make_iterator_attribute():
    return Noisy(), (X,)


class Shared(nn.Module):
    """A list on the class, shared by all instances."""

    trace: list[int] = []

    def forward(self, x):
        Shared.trace.append(x.shape[0])
        return x * 4


def make_class_level_list():
    return Shared(), (X,)


class Grouped(nn.Module):
    def __init__(self):
        super().__init__()
        self.by_name = {}

    def log(self, name, value):
        self.by_name.setdefault(name, []).append(value)

    def forward(self, x):
        loss = x.pow(2).mean()
        self.log("loss", loss)
        return loss


def make_setdefault_append():
    return Grouped(), (X,)


class TupleHistory(nn.Module):
    def __init__(self):
        super().__init__()
        self.norms = ()

    def forward(self, x):
        self.norms = (*self.norms, x.norm())
        return x / self.norms[0]


def make_tuple_history():
    return TupleHistory(), (X,)


class Phases(nn.Module):
    def __init__(self):
        super().__init__()
        self.phase = "calibrate"
        self.register_buffer("scale", torch.ones(()))

    def forward(self, x):
        if self.phase == "calibrate":
            self.scale.copy_(x.abs().max())
            self.phase = "run"
        return x / self.scale


def make_phase_string():
    return Phases(), (X,)


class ShapeWatch(nn.Module):
    """Anchors are made again when the shape changes."""

    def __init__(self):
        super().__init__()
        self.last_shape = None
        self.grid = None

    def forward(self, x):
        if self.last_shape != x.shape:
            self.last_shape = x.shape
            self.grid = torch.arange(x.shape[-1]).float()
        return x + self.grid


def make_shape_watch():
    return ShapeWatch(), (X,)


class RoundRobin(nn.Module):
    def __init__(self):
        super().__init__()
        self.experts = nn.ModuleList([nn.Linear(4, 4) for _ in range(3)])
        self.turn = 0

    def forward(self, x):
        expert = self.experts[self.turn]
        self.turn = (self.turn + 1) % len(self.experts)
        return expert(x)


def make_round_robin():
    return RoundRobin(), (X,)


def counting(x):
    counting.calls += 1
    return x * 1.5


counting.calls = 0


def make_function_attribute():
    return counting, (X,)


class Decoder(nn.Module):
    """The position of the next token, as an int on a helper object."""

    def __init__(self):
        super().__init__()
        self.pos = 0
        self.table = nn.Embedding(32, 4)

    def embed(self, x):
        start = self.pos
        self.pos = start + x.shape[0]
        return self.table.weight[start : start + x.shape[0]]

    def forward(self, x):
        return x + self.embed(x)


def make_position_offset():
    return Decoder(), (X,)
