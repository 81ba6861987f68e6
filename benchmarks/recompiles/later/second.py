"""More of what code keeps between equal calls: written after the classes of the first programs were modelled."""

from __future__ import annotations

import math
from collections import Counter, OrderedDict, defaultdict
from typing import NamedTuple

import torch
import torch.nn.functional as F
from torch import nn
from torch.optim import Optimizer


def _weights():
    p = nn.Parameter(torch.ones(3, 4))
    p.grad = torch.full((3, 4), 0.1)
    return p


class Accelerated(Optimizer):
    def __init__(self, params, lr=0.1, momentum=0.9):
        super().__init__(params, dict(lr=lr, momentum=momentum))

    def reset_state(self, p):
        self.state[p]["z"] = p.detach().clone()
        self.state[p]["k"] = 0

    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            for p in group["params"]:
                if p not in self.state or "z" not in self.state[p]:
                    self.reset_state(p)
                state = self.state[p]
                state["z"].sub_(p.grad, alpha=group["lr"])
                state["k"] += 1
                p.lerp_(state["z"], 1.0 / state["k"])


def make_averaged_iterates():
    return Accelerated([_weights()]).step, ()


class Clip(Optimizer):
    def __init__(self, params, lr=0.1):
        super().__init__(params, dict(lr=lr))
        self.norms = []

    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            norm = torch.stack([p.grad.norm() for p in group["params"]]).norm()
            self.norms.append(norm)
            scale = torch.stack(self.norms[-3:]).mean() / (norm + 1e-6)
            for p in group["params"]:
                p.sub_(p.grad * scale, alpha=group["lr"])


def make_norms_of_an_optimizer():
    return Clip([_weights()]).step, ()


class Plain:
    def __init__(self, params, lr=0.1):
        self.params, self.lr, self.t = list(params), lr, 0
        self.m = [torch.zeros_like(p) for p in self.params]

    @torch.no_grad()
    def step(self):
        self.t += 1
        for p, m in zip(self.params, self.m):
            m.mul_(0.9).add_(p.grad, alpha=0.1)
            p.sub_(m / (1 - 0.9**self.t), alpha=self.lr)


def make_time_of_a_plain_optimizer():
    return Plain([_weights()]).step, ()


class PlainSteady:
    def __init__(self, params, lr=0.1):
        self.params, self.lr = list(params), lr
        self.m = [torch.zeros_like(p) for p in self.params]

    @torch.no_grad()
    def step(self):
        for p, m in zip(self.params, self.m):
            m.mul_(0.9).add_(p.grad, alpha=0.1)
            p.sub_(m, alpha=self.lr)


def make_plain_momentum():
    return PlainSteady([_weights()]).step, ()


class KV(NamedTuple):
    k: torch.Tensor
    v: torch.Tensor


class Attend(nn.Module):
    def __init__(self):
        super().__init__()
        self.qkv = nn.Linear(4, 12)
        self.past = None

    def forward(self, x):
        q, k, v = self.qkv(x).chunk(3, -1)
        if self.past is not None:
            k = torch.cat([self.past.k, k], 1)
            v = torch.cat([self.past.v, v], 1)
        self.past = KV(k, v)
        return F.softmax(q @ k.transpose(1, 2), -1) @ v


def make_past_in_a_tuple():
    return Attend().eval(), (torch.ones(1, 2, 4),)


class Rope(nn.Module):
    def __init__(self, dim=4):
        super().__init__()
        self.dim = dim
        self._seq_len_cached = 0
        self._cos = None

    def _update(self, n, device):
        if n > self._seq_len_cached:
            self._seq_len_cached = n
            t = torch.arange(n, device=device, dtype=torch.float32)
            inv = 1.0 / (10000 ** (torch.arange(0, self.dim, 1, device=device).float() / self.dim))
            self._cos = torch.outer(t, inv).cos()

    def forward(self, x):
        self._update(x.shape[0], x.device)
        return x * self._cos[: x.shape[0]]


def make_length_seen_so_far():
    return Rope(), (torch.ones(3, 4),)


class Counted(nn.Module):
    def __init__(self):
        super().__init__()
        self.hits = Counter()

    def forward(self, x):
        self.hits["forward"] += 1
        return x * 2


def make_hits_in_a_counter():
    return Counted(), (torch.ones(3),)


class Lru(nn.Module):
    def __init__(self, size=2):
        super().__init__()
        self.size = size
        self.cache = OrderedDict()

    def forward(self, x):
        key = (x.shape[0], str(x.dtype))
        if key in self.cache:
            self.cache.move_to_end(key)
            mask = self.cache[key]
        else:
            mask = torch.ones(x.shape[0]).cumsum(0)
            self.cache[key] = mask
            if len(self.cache) > self.size:
                self.cache.popitem(last=False)
        return x * mask


def make_ordered_cache():
    return Lru(), (torch.ones(3),)


class Hooked(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = {}
        self.layer = nn.Linear(3, 3)

    def keep(self, name, value):
        self.features[name] = value

    def forward(self, x):
        y = self.layer(x)
        self.keep("layer", y)
        return y.relu() + self.features["layer"]


def make_features_by_name():
    return Hooked(), (torch.ones(2, 3),)


class WarmTemperature(nn.Module):
    def __init__(self, start=2.0, rate=0.9):
        super().__init__()
        self.temperature = start
        self.rate = rate

    def anneal(self):
        self.temperature *= self.rate

    def forward(self, x):
        y = F.softmax(x / self.temperature, -1)
        if self.training:
            self.anneal()
        return y


def make_temperature_that_falls():
    return WarmTemperature(), (torch.ones(3),)


class Delay(nn.Module):
    def __init__(self, every=2):
        super().__init__()
        self.every, self.i = every, 0
        self.net = nn.Linear(3, 3)

    def forward(self, x):
        run = self.i == 0
        self.i = (self.i + 1) % self.every
        return self.net(x) if run else x * 1.0


def make_layer_of_every_second_call():
    return Delay(), (torch.ones(3),)


class StateObject:
    def __init__(self):
        self.h = None


class Cell(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(3, 3)
        self.memory = StateObject()

    def forward(self, x):
        if self.memory.h is None:
            self.memory.h = torch.zeros_like(x)
        self.memory.h = torch.tanh(self.lin(x) + self.memory.h).detach()
        return self.memory.h


def make_memory_object():
    return Cell(), (torch.ones(3),)


class Given(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(3, 3)

    def forward(self, x, h=None):
        if h is None:
            h = torch.zeros_like(x)
        return torch.tanh(self.lin(x) + h)


def make_memory_that_is_handed():
    return Given(), (torch.ones(3),)


class Lambda(nn.Module):
    def __init__(self):
        super().__init__()
        self.weights = [1.0, 0.5]

    def forward(self, x):
        total = x.sum() * self.weights[0]
        self.weights[1] = self.weights[1] * 0.9
        return total + x.mean() * self.weights[1]


def make_weights_of_losses():
    return Lambda(), (torch.ones(3),)


_REGISTRY = {}


def registered(x, name="base"):
    fn = _REGISTRY.get(name)
    if fn is None:
        fn = torch.relu
        _REGISTRY[name] = fn
    return fn(x)


def make_registry_of_functions():
    return registered, (torch.ones(3),)


def remembering(x, memo=[]):
    if not memo:
        memo.append(torch.arange(3.0))
    return x + memo[0]


def make_memo_in_a_default():
    return remembering, (torch.ones(3),)


class Grouped(nn.Module):
    def __init__(self):
        super().__init__()
        self.log = defaultdict(list)

    def forward(self, x):
        self.log["norm"].append(x.norm().detach())
        return x / self.log["norm"][0]


def make_log_by_name():
    return Grouped(), (torch.ones(3),)


class Registered(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("steps", torch.zeros((), dtype=torch.long))

    def forward(self, x):
        self.steps += 1
        return x / (1 + self.steps)


def make_steps_in_a_buffer():
    return Registered(), (torch.ones(3),)


class Toggle(nn.Module):
    def __init__(self):
        super().__init__()
        self.flip = False

    def forward(self, x):
        self.flip = not self.flip
        return x if self.flip else x.flip(0)


def make_toggle():
    return Toggle(), (torch.ones(3) * 2,)


class Device(nn.Module):
    def __init__(self):
        super().__init__()
        self.table = torch.arange(3.0)

    def forward(self, x):
        if self.table.device != x.device:
            self.table = self.table.to(x.device)
        return x + self.table


def make_table_moved_when_needed():
    return Device(), (torch.ones(3),)


class Pool(nn.Module):
    def __init__(self):
        super().__init__()
        self.free = [0, 1, 2, 3]

    def forward(self, x):
        slot = self.free.pop(0)
        self.free.append(slot)
        return x + slot


def make_slots_in_turn():
    return Pool(), (torch.ones(3),)


class Ticks:
    __slots__ = ("n", "scale")

    def __init__(self, scale):
        self.n, self.scale = 0, scale

    def __call__(self, x):
        self.n += 1
        return x * self.scale * math.sqrt(self.n)


def make_callable_with_slots():
    return Ticks(0.5), (torch.ones(3),)


class Once(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(3, 3)
        self._checked = False

    def _check(self, x):
        if self._checked:
            return
        assert x.dim() == 1
        self._checked = True

    def forward(self, x):
        self._check(x)
        return self.lin(x)


def make_check_of_the_first_call():
    return Once(), (torch.ones(3),)


class Written(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(3, 3)
        self.last_shape = None
        self.last_norm = 0.0

    def forward(self, x):
        y = self.lin(x)
        self.last_shape = tuple(x.shape)
        self.last_norm = y.detach().norm()
        return y


def make_notes_that_are_not_read():
    return Written(), (torch.ones(3),)
