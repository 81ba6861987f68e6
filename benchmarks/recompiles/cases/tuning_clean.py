"""Near misses: state that looks as if it made Dynamo compile again, and does not. The half that was tuned on."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import nn

X = torch.ones(2, 4)


class BufferCounter(nn.Module):
    """The count is a tensor."""

    def __init__(self):
        super().__init__()
        self.register_buffer("updates", torch.zeros((), dtype=torch.long))
        self.register_buffer("mean", torch.zeros(4))

    def forward(self, x):
        self.updates += 1
        self.mean.mul_(0.9).add_(x.mean(0), alpha=0.1)
        return x - self.mean / (1 - 0.9**self.updates)


def make_buffer_counter():
    return BufferCounter(), (X,)


class LastSeen(nn.Module):
    """Written in every call, never read inside."""

    def __init__(self):
        super().__init__()
        self.last_attention = None

    def forward(self, x):
        weights = (x @ x.t()).softmax(-1)
        self.last_attention = weights.detach()
        return weights @ x


def make_write_only_attribute():
    return LastSeen(), (X,)


class ResetList(nn.Module):
    """The list is a new one in every call."""

    def __init__(self):
        super().__init__()
        self.features = []
        self.layers = nn.ModuleList([nn.Linear(4, 4) for _ in range(3)])

    def forward(self, x):
        self.features = []
        for layer in self.layers:
            x = layer(x)
            self.features.append(x)
        return sum(self.features)


def make_list_made_again():
    return ResetList(), (X,)


class TensorStep(nn.Module):
    """The step lives in a plain tensor attribute that is replaced."""

    def __init__(self):
        super().__init__()
        self.step = torch.zeros(())

    def forward(self, x):
        self.step = self.step + 1
        return x * torch.clamp(self.step / 100, max=1.0)


def make_tensor_step():
    return TensorStep(), (X,)


class EagerCounter(nn.Module):
    """Counts outside of compiled code only."""

    def __init__(self):
        super().__init__()
        self.calls = 0

    def forward(self, x):
        if not torch.compiler.is_compiling():
            self.calls += 1
        return x * 2


def make_counter_in_eager_only():
    return EagerCounter(), (X,)


class Configured(nn.Module):
    """Numbers that are read and never written."""

    def __init__(self, num_heads=2, scale=0.5):
        super().__init__()
        self.num_heads = num_heads
        self.scale = scale
        self.eps = 1e-6

    def forward(self, x):
        b, d = x.shape
        x = x.view(b, self.num_heads, d // self.num_heads)
        if self.scale is not None:
            x = x * self.scale
        return x / (x.norm(dim=-1, keepdim=True) + self.eps)


def make_configuration():
    return Configured(), (X,)


class PreparedRotary(nn.Module):
    """The table stands before the first call."""

    def __init__(self, dim=4, max_len=16):
        super().__init__()
        self.max_len_cached = max_len
        self._build(max_len, dim)

    def _build(self, n, dim):
        t = torch.arange(n)
        self.register_buffer("cos", torch.outer(t, torch.ones(dim)).cos(), persistent=False)

    def forward(self, x):
        if x.shape[0] > self.max_len_cached:
            self.max_len_cached = x.shape[0]
            self._build(x.shape[0], x.shape[1])
        return x * self.cos[: x.shape[0]]


def make_rotary_prepared():
    return PreparedRotary(), (X,)


class LocalCounts(nn.Module):
    """Counters and dicts that live in one call."""

    def forward(self, x):
        stats = {"n": 0}
        outs = []
        depth = 0
        for row in x:
            stats["n"] += 1
            depth += 1
            outs.append(row * depth)
        return torch.stack(outs) * stats["n"]


def make_local_state():
    return LocalCounts(), (X,)


class StaticCache(nn.Module):
    """A cache of fixed size, written in place."""

    def __init__(self):
        super().__init__()
        self.register_buffer("keys", torch.zeros(8, 4))
        self.register_buffer("position", torch.zeros((), dtype=torch.long))

    def forward(self, x):
        index = (self.position + torch.arange(x.shape[0])) % 8
        self.keys.index_copy_(0, index, x)
        self.position += x.shape[0]
        return x @ self.keys.t()


def make_static_cache():
    return StaticCache(), (X,)


class Overwritten(nn.Module):
    """Written before it is read, in every call."""

    def __init__(self):
        super().__init__()
        self.scale = 0.0
        self.shape = None

    def forward(self, x):
        self.shape = x.shape
        self.scale = 1.0 / x.shape[-1] ** 0.5
        return self.attend(x)

    def attend(self, x):
        return (x * self.scale).view(self.shape)


def make_written_first():
    return Overwritten(), (X,)


class MovingQueue(nn.Module):
    """A queue of constant length: what comes in pushes out what is oldest."""

    def __init__(self):
        super().__init__()
        self.queue = torch.zeros(6, 4)

    def forward(self, x):
        self.queue = torch.cat([self.queue, x.detach()])[-6:]
        return x @ self.queue.t()


def make_moving_queue():
    return MovingQueue(), (X,)


class Uncompiled(nn.Module):
    """The count happens where Dynamo does not look, and nothing compiled reads it."""

    def __init__(self):
        super().__init__()
        self.calls = 0

    @torch.compiler.disable
    def tick(self):
        self.calls += 1

    def forward(self, x):
        self.tick()
        return x * 3


def make_disabled_tick():
    return Uncompiled(), (X,)


class Stack(nn.Module):
    """What is pushed is popped again."""

    def __init__(self):
        super().__init__()
        self.scopes = []

    def forward(self, x):
        self.scopes.append("block")
        y = x * len(self.scopes)
        self.scopes.pop()
        return y


def make_push_and_pop():
    return Stack(), (X,)


class FilledDict(nn.Module):
    """The keys are there from the start; tensors under them are replaced."""

    def __init__(self):
        super().__init__()
        self.state = {"h": torch.zeros(4), "c": torch.zeros(4)}

    def forward(self, x):
        self.state["h"] = self.state["h"] * 0.5 + x.detach().mean(0)
        self.state["c"] = x.detach().sum(0)
        return x + self.state["h"]


def make_filled_dict():
    return FilledDict(), (X,)


class Idempotent(nn.Module):
    """A flag is set to what it is already."""

    def __init__(self):
        super().__init__()
        self.gradient_ready = True
        self.mode = "train"

    def forward(self, x):
        if self.gradient_ready:
            x = x + 1
        self.gradient_ready = True
        self.mode = "train"
        return x


def make_flag_set_to_itself():
    return Idempotent(), (X,)


class TemporaryState(nn.Module):
    """Shared with a helper during the call, and taken back at its end."""

    def __init__(self):
        super().__init__()
        self.context = None

    def forward(self, x):
        self.context = x.mean(0)
        y = self.helper(x)
        self.context = None
        return y

    def helper(self, x):
        return x - self.context if self.context is not None else x


def make_temporary_state():
    return TemporaryState(), (X,)


@dataclass
class Output:
    hidden: torch.Tensor
    count: int = 0


class RecordInside(nn.Module):
    """The object that counts is made in the call."""

    def forward(self, x):
        out = Output(x)
        for _ in range(3):
            out.hidden = out.hidden * 2
            out.count += 1
        return out.hidden * out.count


def make_record_inside():
    return RecordInside(), (X,)


def nested_counter(x):
    n = 0

    def add(y):
        nonlocal n
        n += 1
        return y + n

    return add(add(x))


def make_closure_inside():
    return nested_counter, (X,)


class OffByDefault(nn.Module):
    """Statistics that are switched off."""

    def __init__(self, track=False):
        super().__init__()
        self.track = track
        self.history = []

    def forward(self, x, record=False):
        if self.track or record:
            self.history.append(x.mean())
        return x * 2


def make_statistics_off():
    return OffByDefault(), (X,)


_TABLE = {"relu": torch.relu, "tanh": torch.tanh}
_LIMIT = 4


def looked_up(x):
    activation = _TABLE["relu"] if x.shape[0] < _LIMIT else _TABLE["tanh"]
    return activation(x)


def make_global_table():
    return looked_up, (X,)
