"""State that the code changes and a guard reads, in the shapes that model code has. The half that was tuned on."""

from __future__ import annotations

import collections
import itertools
from dataclasses import dataclass, field

import torch
from torch import nn

X = torch.ones(2, 4)


class EmaCounter(nn.Module):
    """Bias correction of a moving average, by a Python step count."""

    def __init__(self, decay=0.9):
        super().__init__()
        self.decay = decay
        self.updates = 0
        self.register_buffer("mean", torch.zeros(4))

    def forward(self, x):
        self.updates += 1
        self.mean.mul_(self.decay).add_(x.mean(0), alpha=1 - self.decay)
        return x - self.mean / (1 - self.decay**self.updates)


def make_ema_bias_correction():
    return EmaCounter(), (X,)


class DropSchedule(nn.Module):
    """The drop rate follows a step count."""

    def __init__(self):
        super().__init__()
        self.step = 0
        self.warmup = 4

    def rate(self):
        return min(1.0, self.step / self.warmup) * 0.1

    def forward(self, x):
        out = nn.functional.dropout(x, self.rate())
        self.step = self.step + 1
        return out


def make_dropout_schedule():
    return DropSchedule(), (X,)


class LayerCache:
    def __init__(self):
        self.keys = None
        self.values = None

    def update(self, k, v):
        if self.keys is None:
            self.keys, self.values = k, v
        else:
            self.keys = torch.cat([self.keys, k], dim=1)
            self.values = torch.cat([self.values, v], dim=1)
        return self.keys, self.values


class CachedAttention(nn.Module):
    def __init__(self):
        super().__init__()
        self.qkv = nn.Linear(4, 12)
        self.cache = LayerCache()

    def forward(self, x):
        q, k, v = self.qkv(x).chunk(3, dim=-1)
        k, v = self.cache.update(k, v)
        return nn.functional.scaled_dot_product_attention(q, k, v)


def make_kv_cache_object():
    return CachedAttention().eval().requires_grad_(False), (torch.ones(1, 2, 4),)


class Rotary(nn.Module):
    """A table of angles that is built on the first call."""

    def __init__(self, dim=4):
        super().__init__()
        self.register_buffer("inv_freq", 1.0 / 10000 ** (torch.arange(0, dim, 2) / dim))
        self._seq_len_cached = 0
        self._cos = None

    def _update(self, x):
        seq_len = x.shape[-2]
        if seq_len > self._seq_len_cached:
            self._seq_len_cached = seq_len
            t = torch.arange(seq_len, device=x.device)
            freqs = torch.outer(t.float(), self.inv_freq)
            self._cos = torch.cat((freqs, freqs), dim=-1).cos()
        return self._cos

    def forward(self, x):
        return x * self._update(x)


def make_rotary_table():
    return Rotary(), (X,)


class Router(nn.Module):
    """Counts how often each expert is chosen, in a dict."""

    def __init__(self):
        super().__init__()
        self.gate = nn.Linear(4, 2)
        self.usage = {"calls": 0, "tokens": 0}

    def forward(self, x):
        self.usage["calls"] += 1
        self.usage["tokens"] += x.shape[0]
        return self.gate(x).softmax(-1)


def make_router_usage_dict():
    return Router(), (X,)


class AuxLosses(nn.Module):
    """Losses are collected on a list that is not emptied inside."""

    def __init__(self):
        super().__init__()
        self.aux_losses = []
        self.proj = nn.Linear(4, 4)

    def forward(self, x):
        y = self.proj(x)
        self.aux_losses.append(y.pow(2).mean())
        return y


def make_aux_loss_list():
    return AuxLosses(), (X,)


class ActNorm(nn.Module):
    """Data-dependent initialisation on the first batch."""

    def __init__(self):
        super().__init__()
        self.loc = nn.Parameter(torch.zeros(4))
        self.initialized = False

    def forward(self, x):
        if not self.initialized:
            with torch.no_grad():
                self.loc.copy_(-x.mean(0))
            self.initialized = True
        return x + self.loc


def make_actnorm_flag():
    return ActNorm(), (X,)


_MASKS: dict[tuple[int, str], torch.Tensor] = {}


def causal_mask(n, device):
    key = (n, str(device))
    if key not in _MASKS:
        _MASKS[key] = torch.ones(n, n, device=device).tril()
    return _MASKS[key]


def masked_scores(x):
    scores = x @ x.transpose(-1, -2)
    return scores * causal_mask(scores.shape[-1], scores.device)


def make_global_mask_cache():
    return masked_scores, (X,)


class LazyHead(nn.Module):
    """The head is built when the width of its input is seen."""

    def __init__(self):
        super().__init__()
        self.head = None

    def forward(self, x):
        if self.head is None:
            self.head = nn.Identity()
        return self.head(x * 2)


def make_lazy_submodule():
    return LazyHead(), (X,)


class Recurrent(nn.Module):
    """The state of the last call, None before the first."""

    def __init__(self):
        super().__init__()
        self.cell = nn.Linear(4, 4)
        self.hidden = None

    def forward(self, x):
        previous = torch.zeros_like(x) if self.hidden is None else self.hidden
        out = torch.tanh(self.cell(x) + previous)
        self.hidden = out.detach()
        return out


def make_recurrent_hidden():
    return Recurrent(), (X,)


_calls = 0


def logged_norm(x):
    global _calls
    _calls += 1
    scale = 0.5 if _calls % 100 == 0 else 1.0
    return x.norm() * scale


def make_global_call_count():
    return logged_norm, (X,)


def temperature_function(start=1.0, decay=0.95):
    temperature = start

    def sample(x):
        nonlocal temperature
        temperature = temperature * decay
        return (x / temperature).softmax(-1)

    return sample


def make_closure_temperature():
    return temperature_function(), (X,)


class Registry:
    """Counts instances of work in a class attribute."""

    served = 0

    def __call__(self, x):
        Registry.served += 1
        return x.relu() + 1


class Served(nn.Module):
    def __init__(self):
        super().__init__()
        self.registry = Registry()

    def forward(self, x):
        return self.registry(x)


def make_class_attribute_count():
    return Served(), (X,)


@dataclass
class TrainState:
    step: int = 0
    history: list = field(default_factory=list)


class WithState(nn.Module):
    def __init__(self):
        super().__init__()
        self.state = TrainState()
        self.lin = nn.Linear(4, 4)

    def forward(self, x):
        self.state.step += 1
        warm = min(self.state.step, 3) / 3
        return self.lin(x) * warm


def make_dataclass_step():
    return WithState(), (X,)


class Window(nn.Module):
    """The last values, in a bounded deque."""

    def __init__(self):
        super().__init__()
        self.recent = collections.deque(maxlen=4)

    def forward(self, x):
        self.recent.append(x.mean())
        return x / sum(self.recent)


def make_deque_window():
    return Window(), (X,)


def collect_features(x, store=[]):  # noqa: B006
    store.append(x.mean(0))
    return torch.stack(store).sum(0) + x


def make_mutable_default_list():
    return collect_features, (X,)


_ids = itertools.count(1)


def tagged(x):
    return x + next(_ids)


def make_global_counter_iterator():
    return tagged, (X,)


class Alternating(nn.Module):
    """Shifts the window in every second call."""

    def __init__(self):
        super().__init__()
        self.shifted = False

    def forward(self, x):
        if self.shifted:
            x = torch.roll(x, 1, dims=-1)
        self.shifted = not self.shifted
        return x * 2


def make_alternating_shift():
    return Alternating(), (X,)


class LateBuffer(nn.Module):
    def forward(self, x):
        if not hasattr(self, "position"):
            self.register_buffer("position", torch.arange(x.shape[-1]).float(), persistent=False)
        return x + self.position


def make_late_buffer():
    return LateBuffer(), (X,)


class RunningSum(nn.Module):
    """A Python zero that becomes a tensor."""

    def __init__(self):
        super().__init__()
        self.total = 0
        self.seen = 0

    def forward(self, x):
        self.total = self.total + x.detach().sum()
        self.seen += x.shape[0]
        return x / (1 + self.total / self.seen)


def make_running_sum():
    return RunningSum(), (X,)
