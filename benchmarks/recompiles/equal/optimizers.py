"""Steps of optimizers as packages write them: state that the first step fills, and steps that are counted."""

from __future__ import annotations

import math
from collections import defaultdict

import torch
from torch import nn
from torch.optim import Optimizer


def _weights():
    p = nn.Parameter(torch.ones(3, 4))
    p.grad = torch.full((3, 4), 0.1)
    return p


class LazyMomentum(Optimizer):
    def __init__(self, params, lr=0.1, momentum=0.9):
        super().__init__(params, {"lr": lr, "momentum": momentum})

    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            for p in group["params"]:
                if p.grad is None:
                    continue
                state = self.state[p]
                if not state:
                    state["buffer"] = torch.zeros_like(p)
                state["buffer"].mul_(group["momentum"]).add_(p.grad)
                p.add_(state["buffer"], alpha=-group["lr"])


def make_lazy_momentum():
    return LazyMomentum([_weights()]).step, ()


class LenState(Optimizer):
    def __init__(self, params, lr=0.1):
        super().__init__(params, {"lr": lr})

    @torch.no_grad()
    def step(self, closure=None):
        loss = None
        if closure is not None:
            loss = closure()
        for group in self.param_groups:
            for p in group["params"]:
                state = self.state[p]
                if len(state) == 0:
                    state["step"] = 0
                    state["mean"] = torch.zeros_like(p)
                state["step"] += 1
                state["mean"].lerp_(p.grad, 0.1)
                p.add_(state["mean"], alpha=-group["lr"] / math.sqrt(state["step"]))
        return loss


def make_len_of_state_and_int_step():
    return LenState([_weights()]).step, ()


class KeyOfState(Optimizer):
    def __init__(self, params, lr=0.1):
        super().__init__(params, {"lr": lr})

    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            for p in filter(lambda one: one.grad is not None, group["params"]):
                self._update(p, group, self.state[p])

    def _update(self, p, group, state):
        if "square" not in state:
            state["square"] = p.grad.square()
        else:
            state["square"].mul_(0.9).addcmul_(p.grad, p.grad, value=0.1)
        p.addcdiv_(p.grad, state["square"].sqrt() + 1e-8, value=-group["lr"])


def make_key_of_state_in_a_helper():
    return KeyOfState([_weights()]).step, ()


class Prepared(Optimizer):
    def __init__(self, params, lr=0.1):
        super().__init__(params, {"lr": lr})
        for group in self.param_groups:
            for p in group["params"]:
                self.state[p]["buffer"] = torch.zeros_like(p)

    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            for p in group["params"]:
                buffer = self.state[p]["buffer"]
                buffer.mul_(0.9).add_(p.grad)
                p.add_(buffer, alpha=-group["lr"])


def make_state_of_the_constructor():
    return Prepared([_weights()]).step, ()


class GroupStep(Optimizer):
    def __init__(self, params, lr=0.1):
        super().__init__(params, {"lr": lr, "step": 0})

    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            group["step"] += 1
            scale = group["lr"] / (1 - 0.9 ** group["step"])
            for p in group["params"]:
                p.add_(p.grad, alpha=-scale)


def make_step_counted_in_the_group():
    return GroupStep([_weights()]).step, ()


class MissingGroupKey(Optimizer):
    def __init__(self, params, lr=0.1):
        super().__init__(params, {"lr": lr})

    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            if "step" in group:
                group["step"] += 1
            else:
                group["step"] = 1
            for p in group["params"]:
                p.add_(p.grad, alpha=-group["lr"] / group["step"])


def make_key_missing_in_the_group():
    return MissingGroupKey([_weights()]).step, ()


class Schedule(Optimizer):
    def __init__(self, params, lr=0.1):
        super().__init__(params, {"lr": lr, "k": 0, "train_mode": False})

    @torch.no_grad()
    def train(self):
        for group in self.param_groups:
            if not group["train_mode"]:
                for p in group["params"]:
                    p.mul_(2.0)
                group["train_mode"] = True


def make_mode_of_the_group():
    return Schedule([_weights()]).train, ()


class TensorStep(Optimizer):
    def __init__(self, params, lr=0.1):
        super().__init__(params, {"lr": lr})
        for group in self.param_groups:
            for p in group["params"]:
                self.state[p]["step"] = torch.zeros(())

    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            for p in group["params"]:
                self.state[p]["step"] += 1
                p.add_(p.grad / self.state[p]["step"], alpha=-group["lr"])


def make_step_as_a_tensor():
    return TensorStep([_weights()]).step, ()


class SetDefault(Optimizer):
    def __init__(self, params, lr=0.1):
        super().__init__(params, {"lr": lr})

    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            for p in group["params"]:
                buffer = self.state[p].setdefault("buffer", torch.zeros_like(p))
                buffer.add_(p.grad)
                p.add_(buffer, alpha=-group["lr"])


def make_setdefault_of_state():
    return SetDefault([_weights()]).step, ()


class Averager:
    def __init__(self, model, decay=0.9):
        self.model = model
        self.decay = decay
        self.shadow = None

    @torch.no_grad()
    def update(self):
        if self.shadow is None:
            self.shadow = {name: p.clone() for name, p in self.model.named_parameters()}
        else:
            for name, p in self.model.named_parameters():
                self.shadow[name].mul_(self.decay).add_(p, alpha=1 - self.decay)


def make_averages_of_parameters():
    return Averager(nn.Linear(4, 4)).update, ()


class AveragerInitted(nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model
        self.copy = nn.Linear(4, 4)
        self.register_buffer("initted", torch.tensor(False))

    @torch.no_grad()
    def update(self, x):
        for a, b in zip(self.copy.parameters(), self.model.parameters()):
            a.lerp_(b, 0.1)
        return x * 2


def make_averages_of_a_copy():
    return AveragerInitted(nn.Linear(4, 4)).update, (torch.ones(2, 4),)


class Lookahead:
    def __init__(self, params, k=5):
        self.params = list(params)
        self.k = k
        self.count = 0
        self.slow = defaultdict(dict)

    @torch.no_grad()
    def step(self):
        self.count += 1
        for i, p in enumerate(self.params):
            if "slow" not in self.slow[i]:
                self.slow[i]["slow"] = p.clone()
            if self.count % self.k == 0:
                self.slow[i]["slow"].lerp_(p, 0.5)
                p.copy_(self.slow[i]["slow"])
            p.add_(p.grad, alpha=-0.1)


def make_lookahead():
    return Lookahead([_weights()]).step, ()


class Clipped:
    def __init__(self, params):
        self.params = list(params)
        self.norms = []

    @torch.no_grad()
    def clip(self):
        norm = torch.stack([p.grad.norm() for p in self.params]).norm()
        self.norms.append(norm)
        if len(self.norms) > 3:
            self.norms.pop(0)
        for p in self.params:
            p.grad.mul_(1.0 / (norm + 1e-6))


def make_window_of_norms():
    return Clipped([_weights()]).clip, ()


class Warm(Optimizer):
    def __init__(self, params, lr=0.1):
        super().__init__(params, {"lr": lr})
        self._count = 0

    @torch.no_grad()
    def step(self):
        self._count = self._count + 1
        warm = min(1.0, self._count / 4)
        for group in self.param_groups:
            for p in group["params"]:
                p.add_(p.grad, alpha=-group["lr"] * warm)


def make_warmup_of_an_optimizer():
    return Warm([_weights()]).step, ()


class OwnState(Optimizer):
    def __init__(self, params, lr=0.1):
        super().__init__(params, {"lr": lr})
        self.buffers = {}

    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            for number, p in enumerate(group["params"]):
                if number not in self.buffers:
                    self.buffers[number] = torch.zeros_like(p)
                self.buffers[number].add_(p.grad)
                p.sub_(self.buffers[number] * group["lr"])


def make_buffers_of_its_own():
    return OwnState([_weights()]).step, ()


class NoState(Optimizer):
    def __init__(self, params, lr=0.1):
        super().__init__(params, {"lr": lr})

    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            params = [p for p in group["params"] if p.grad is not None]
            for p in params:
                p.add_(torch.sign(p.grad), alpha=-group["lr"])


def make_step_without_state():
    return NoState([_weights()]).step, ()
