"""A third set of what code keeps between equal calls, recorded and linted once."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field

import torch
import torch.nn.functional as F
from torch import nn
from torch.optim import Optimizer


def _weights():
    p = nn.Parameter(torch.ones(3, 4))
    p.grad = torch.full((3, 4), 0.1)
    return p


class Adan(Optimizer):
    def __init__(self, params, lr=0.1):
        super().__init__(params, dict(lr=lr))

    @torch.no_grad()
    def step(self, closure=None):
        loss = None
        if closure is not None:
            with torch.enable_grad():
                loss = closure()
        for group in self.param_groups:
            if "step" in group:
                group["step"] += 1
            else:
                group["step"] = 1
            for p in group["params"]:
                if p.grad is None:
                    continue
                state = self.state[p]
                if len(state) == 0:
                    state["diff"] = torch.zeros_like(p)
                if "previous" not in state or group["step"] == 1:
                    state["previous"] = p.grad.clone()
                state["diff"].lerp_(p.grad - state["previous"], 0.1)
                state["previous"].copy_(p.grad)
                p.add_(state["diff"] + p.grad, alpha=-group["lr"])
        return loss


def make_difference_of_gradients():
    return Adan([_weights()]).step, ()


class Preconditioned(Optimizer):
    def __init__(self, params, lr=0.1, every=3):
        super().__init__(params, dict(lr=lr, every=every))

    def _state_of(self, p):
        state = self.state[p]
        if not state:
            state.update(step=0, left=torch.eye(p.shape[0]))
        return state

    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            for p in group["params"]:
                state = self._state_of(p)
                state["step"] += 1
                state["left"].add_(p.grad @ p.grad.T)
                p.sub_(state["left"] @ p.grad, alpha=group["lr"])


def make_preconditioner_of_a_helper():
    return Preconditioned([_weights()]).step, ()


class Lars(Optimizer):
    def __init__(self, params, lr=0.1):
        super().__init__(params, dict(lr=lr))

    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            for p in group["params"]:
                trust = p.norm() / (p.grad.norm() + 1e-9)
                p.add_(p.grad * trust, alpha=-group["lr"])


def make_trust_ratio():
    return Lars([_weights()]).step, ()


class Decayed(Optimizer):
    def __init__(self, params, lr=0.1):
        super().__init__(params, dict(lr=lr))

    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            for p in group["params"]:
                p.add_(p.grad, alpha=-group["lr"])
            group["lr"] *= 0.99


def make_rate_that_decays():
    return Decayed([_weights()]).step, ()


class Trainer:
    def __init__(self):
        self.model = nn.Linear(3, 1)
        self.global_step = 0
        self.history = {"loss": []}

    def loss(self, x):
        loss = self.model(x).square().mean()
        self.global_step += 1
        if self.global_step % 2 == 0:
            self.history["loss"].append(loss.detach())
        return loss


def make_loss_of_a_trainer():
    return Trainer().loss, (torch.ones(2, 3),)


class Quantile(nn.Module):
    def __init__(self):
        super().__init__()
        self.low = self.high = None

    def forward(self, x):
        low, high = x.detach().amin(), x.detach().amax()
        if self.low is None:
            self.low, self.high = low, high
        else:
            self.low = torch.minimum(self.low, low)
            self.high = torch.maximum(self.high, high)
        return (x - self.low) / (self.high - self.low + 1)


def make_range_seen_so_far():
    return Quantile(), (torch.arange(3.0),)


class Observer(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("low", torch.tensor(float("inf")))
        self.enabled = True

    def forward(self, x):
        if self.enabled:
            self.low.copy_(torch.minimum(self.low, x.detach().amin()))
        return x - self.low


def make_observer():
    return Observer(), (torch.arange(3.0),)


class Positional(nn.Module):
    pe = None

    def forward(self, x):
        if self.pe is None or self.pe.size(0) < x.size(0):
            pos = torch.arange(x.size(0)).float()
            self.pe = torch.stack([pos.sin(), pos.cos()], 1)
        return x + self.pe[: x.size(0)]


def make_encoding_of_the_class():
    return Positional(), (torch.ones(3, 2),)


class Windows(nn.Module):
    windows: dict = {}

    def forward(self, x):
        key = str(x.device)
        if key not in Windows.windows:
            Windows.windows[key] = torch.hann_window(4)
        return x * Windows.windows[key]


def make_windows_of_the_class():
    return Windows(), (torch.ones(4),)


_basis = {}
_resamplers = None


def basis(n):
    global _resamplers
    if _resamplers is None:
        _resamplers = {}
    if n not in _resamplers:
        _resamplers[n] = torch.ones(n)
    return _resamplers[n]


def resampled(x):
    return x * basis(4)


def make_basis_of_a_global():
    return resampled, (torch.ones(4),)


class Streaming(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv1d(1, 1, 3)
        self.tail = {}

    def forward(self, x, name="a"):
        tail = self.tail.get(name)
        if tail is None:
            tail = torch.zeros(1, 1, 2)
        x = torch.cat([tail, x], -1)
        self.tail[name] = x[..., -2:]
        return self.conv(x)


def make_tail_of_a_stream():
    return Streaming().eval(), (torch.ones(1, 1, 4),)


@dataclass
class Params:
    offset: int = 0
    tensors: dict = field(default_factory=dict)


class Inference(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(4, 4)
        self.params = Params()

    def forward(self, x):
        y = self.lin(x)
        if self.params.offset > 0:
            y = y + self.params.tensors["key"]
        self.params.tensors["key"] = y.detach()
        self.params.offset += x.shape[0]
        return y


def make_offset_of_inference():
    return Inference(), (torch.ones(2, 4),)


class Handed(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(4, 4)

    def forward(self, x, cache):
        if "k" not in cache:
            cache["k"] = self.lin(x)
        return x + cache["k"]


def make_cache_that_is_handed():
    return Handed().eval(), (torch.ones(2, 4), {})


class Stochastic(nn.Module):
    def __init__(self):
        super().__init__()
        self.keep = 0.9
        self.layers = nn.ModuleList([nn.Linear(3, 3) for _ in range(2)])

    def forward(self, x):
        for layer in self.layers:
            x = F.dropout(layer(x), 1 - self.keep, self.training)
        return x


def make_rate_that_stays():
    return Stochastic(), (torch.ones(2, 3),)


class Balance(nn.Module):
    def __init__(self):
        super().__init__()
        self.load = [0, 0]
        self.experts = nn.ModuleList([nn.Linear(3, 3) for _ in range(2)])

    def forward(self, x):
        i = 0 if self.load[0] <= self.load[1] else 1
        self.load[i] += 1
        return self.experts[i](x)


def make_load_of_experts():
    return Balance(), (torch.ones(2, 3),)


class Frozen(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Linear(3, 3)
        self.frozen = False

    def freeze(self):
        for p in self.net.parameters():
            p.requires_grad_(False)
        self.frozen = True

    def forward(self, x):
        return self.net(x) if not self.frozen else self.net(x).detach()


def make_flag_of_another_method():
    return Frozen(), (torch.ones(2, 3),)


class Lagged(nn.Module):
    def __init__(self):
        super().__init__()
        self.previous = None

    def forward(self, x):
        out = x if self.previous is None else x - self.previous
        self.previous = x.detach().clone()
        return out * 2


def make_previous_input():
    return Lagged(), (torch.ones(3),)


def make_cache_of_a_closure():
    cache = {}

    def run(x):
        n = x.shape[0]
        if n not in cache:
            cache[n] = torch.eye(n)
        return cache[n] @ x

    return run, (torch.ones(3),)


def make_ready_cache_of_a_closure():
    cache = {n: torch.eye(n) for n in range(1, 5)}

    def run(x):
        return cache[x.shape[0]] @ x

    return run, (torch.ones(3),)


class Graph:
    def __init__(self):
        self.edges = defaultdict(list)

    def add(self, x):
        for i in range(2):
            self.edges[i].append(i + 1)
        return x * 2


def make_edges_that_pile_up():
    return Graph().add, (torch.ones(3),)


class Reseeded(nn.Module):
    def __init__(self):
        super().__init__()
        self.noise_scale = torch.tensor(1.0)

    def forward(self, x):
        self.noise_scale = self.noise_scale * 0.9
        return x * self.noise_scale


def make_scale_as_a_tensor():
    return Reseeded(), (torch.ones(3),)


class Logged(nn.Module):
    def __init__(self):
        super().__init__()
        self.metrics = {}

    def forward(self, x):
        y = x * 2
        self.metrics = {"norm": y.norm().detach(), "mean": y.mean().detach()}
        return y


def make_metrics_that_are_replaced():
    return Logged(), (torch.ones(3),)
