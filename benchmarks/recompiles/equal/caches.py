"""What the first call fills and a later call finds: caches, tables, flags, and the keyword arguments that are counted."""

from __future__ import annotations

import torch
from torch import nn

X = torch.ones(2, 4)


class Rotary(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.freqs = nn.Parameter(torch.ones(dim // 2))
        self.cached = None
        self.cached_length = 0

    def forward(self, x):
        n = x.shape[0]
        if self.cached is not None and n <= self.cached_length:
            return x * self.cached[:n]
        table = torch.arange(n, dtype=x.dtype)[:, None] * self.freqs.repeat(2)[None]
        self.cached = table.detach()
        self.cached_length = n
        return x * table


def make_rotary_table():
    return Rotary(4), (X,)


class ByKey(nn.Module):
    def __init__(self):
        super().__init__()
        self.tables = {}

    def forward(self, x):
        key = (x.shape[-1], str(x.dtype))
        if key not in self.tables:
            self.tables[key] = torch.arange(x.shape[-1], dtype=x.dtype)
        return x + self.tables[key]


def make_table_by_key():
    return ByKey(), (X,)


def _exists(value):
    return value is not None


class Positions(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("pos", None, persistent=False)

    def bias(self, n, device):
        if _exists(self.pos) and self.pos.shape[0] >= n:
            return self.pos[:n]
        self.register_buffer("pos", torch.arange(n, device=device).float(), persistent=False)
        return self.pos

    def forward(self, x):
        return x * self.bias(x.shape[0], x.device)[:, None]


def make_buffer_that_is_registered_late():
    return Positions(), (X,)


_TABLES = {}


def _table(n):
    if n not in _TABLES:
        _TABLES[n] = torch.arange(n).float()
    return _TABLES[n]


def shifted(x):
    return x + _table(x.shape[-1])


def make_global_table():
    return shifted, (X,)


def keyed(x, **kwargs):
    if len(kwargs) > 0:
        x = x * 2
    return x + 1


def make_len_of_kwargs():
    return keyed, (X,)


class Pipeline(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(4, 4)
        self.memory = []

    def forward(self, x):
        y = self.lin(x)
        if len(self.memory) < 2:
            self.memory.append(y.detach())
        return y + sum(self.memory)


def make_memory_of_two():
    return Pipeline(), (X,)


class Ready(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(4, 4)
        self.ready = False

    def prepare(self):
        self.ready = True

    def forward(self, x):
        if not self.ready:
            self.prepare()
            x = x / x.norm()
        return self.lin(x)


def make_flag_of_the_first_call():
    return Ready(), (X,)


class Hidden(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell = nn.Linear(8, 4)
        self.state = None

    def forward(self, x):
        state = x.new_zeros(x.shape) if self.state is None else self.state
        self.state = torch.tanh(self.cell(torch.cat([x, state], -1))).detach()
        return self.state


def make_state_of_a_cell():
    return Hidden(), (X,)


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.mask = torch.ones(4, 4).tril()

    def forward(self, x):
        if self.mask.shape[0] < x.shape[-1]:
            self.mask = torch.ones(x.shape[-1], x.shape[-1]).tril()
        return x @ self.mask


def make_mask_that_is_large_enough():
    return Attention(), (X,)


class Kernel(nn.Module):
    cache = {}

    def __init__(self, size):
        super().__init__()
        self.size = size

    def kernel(self):
        if self.size not in Kernel.cache:
            Kernel.cache[self.size] = torch.ones(self.size) / self.size
        return Kernel.cache[self.size]

    def forward(self, x):
        return x * self.kernel()


def make_cache_of_the_class():
    return Kernel(4), (X,)


class Counted(nn.Module):
    def __init__(self):
        super().__init__()
        self.calls = 0
        self.lin = nn.Linear(4, 4)

    def forward(self, x):
        self.calls += 1
        return self.lin(x)


def make_counter_that_is_not_read():
    return Counted(), (X,)


class Every(nn.Module):
    def __init__(self):
        super().__init__()
        self.calls = 0
        self.lin = nn.Linear(4, 4)

    def forward(self, x):
        if self.calls % 2 == 0:
            x = x * 2
        self.calls += 1
        return self.lin(x)


def make_every_second_call():
    return Every(), (X,)


class Sampler:
    def __init__(self):
        self.steps = torch.linspace(1, 0, 5)
        self.index = None

    def step(self, x):
        if self.index is None:
            self.index = 0
        sigma = self.steps[self.index]
        self.index = min(self.index + 1, 4)
        return x * sigma


def make_index_of_a_sampler():
    return Sampler().step, (X,)


class Lazy(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = 2.0

    def forward(self, x):
        if not hasattr(self, "offset"):
            self.offset = x.mean().detach()
        return x * self.scale - self.offset


def make_attribute_that_is_missing_first():
    return Lazy(), (X,)


class Config:
    def __init__(self):
        self.seen = set()


class Noted(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.config = config
        self.lin = nn.Linear(4, 4)

    def forward(self, x):
        self.config.seen.add(x.shape[-1])
        if len(self.config.seen) > 1:
            x = x * 2
        return self.lin(x)


def make_shapes_that_are_noted():
    return Noted(Config()), (X,)


class Stats(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("mean", torch.zeros(4))
        self.register_buffer("count", torch.zeros(()))

    def forward(self, x):
        self.count += 1
        self.mean += (x.mean(0) - self.mean) / self.count
        return x - self.mean


def make_statistics_in_buffers():
    return Stats(), (X,)


class Wrapped:
    def __init__(self, net):
        self.net = net
        self.outputs = {}

    def __call__(self, x):
        self.outputs["last"] = self.net(x)
        return self.outputs["last"] + 1


def make_output_that_is_kept():
    return Wrapped(nn.Linear(4, 4)), (X,)


class Quantizer(nn.Module):
    def __init__(self):
        super().__init__()
        self.codes = None

    def forward(self, x):
        self.codes = (x > 0).float()
        return x * self.codes


def make_attribute_that_is_only_written():
    return Quantizer(), (X,)


def make_closure_that_keeps():
    kept = {}

    def run(x):
        if "scale" not in kept:
            kept["scale"] = x.abs().max()
        return x / kept["scale"]

    return run, (X,)


def make_closure_that_counts():
    count = 0

    def run(x):
        nonlocal count
        count += 1
        return x * count

    return run, (X,)
