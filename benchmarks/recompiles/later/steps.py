"""Steps of optimizers, averages and schedules, as packages write them."""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass

import torch
from torch import nn
from torch.optim import Optimizer


def _weights(*shape):
    p = nn.Parameter(torch.ones(*(shape or (3, 4))))
    p.grad = torch.full_like(p, 0.1)
    return p


class Factored(Optimizer):
    def __init__(self, params, lr=0.1):
        super().__init__(params, dict(lr=lr, decay=0.8))

    @staticmethod
    def _prepare(state, grad):
        state["step"] = 0
        state["row"] = torch.zeros(grad.shape[:-1])
        state["col"] = torch.zeros(grad.shape[:-2] + grad.shape[-1:])

    @torch.no_grad()
    def step(self, closure=None):
        loss = closure() if closure is not None else None
        for group in self.param_groups:
            for p in group["params"]:
                if p.grad is None:
                    continue
                grad = p.grad
                state = self.state[p]
                if len(state) == 0:
                    self._prepare(state, grad)
                state["step"] += 1
                beta = 1.0 - math.pow(state["step"], -group["decay"])
                square = grad**2 + 1e-30
                state["row"].mul_(beta).add_(square.mean(dim=-1), alpha=1 - beta)
                state["col"].mul_(beta).add_(square.mean(dim=-2), alpha=1 - beta)
                p.add_(grad * state["row"].rsqrt().unsqueeze(-1), alpha=-group["lr"])
        return loss


def make_factored_moments():
    return Factored([_weights()]).step, ()


class GroupClock(Optimizer):
    def __init__(self, params, lr=0.1, betas=(0.9, 0.99)):
        super().__init__(params, dict(lr=lr, betas=betas))

    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            group.setdefault("step", 0)
            group["step"] += 1
            beta1, _ = group["betas"]
            correction = 1 - beta1 ** group["step"]
            for p in group["params"]:
                p.sub_(p.grad * (group["lr"] / correction))


def make_clock_of_the_group():
    return GroupClock([_weights()]).step, ()


class Rectified(Optimizer):
    def __init__(self, params, lr=0.1):
        self.buffer = [[None, None] for _ in range(10)]
        super().__init__(params, dict(lr=lr))

    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            for p in group["params"]:
                state = self.state[p]
                if not state:
                    state["step"] = 0
                    state["avg"] = torch.zeros_like(p)
                state["step"] += 1
                state["avg"].lerp_(p.grad, 0.1)
                buffered = self.buffer[state["step"] % 10]
                if buffered[0] == state["step"]:
                    size = buffered[1]
                else:
                    buffered[0] = state["step"]
                    size = group["lr"] / (1 - 0.9 ** state["step"])
                    buffered[1] = size
                p.add_(state["avg"], alpha=-size)


def make_table_of_step_sizes():
    return Rectified([_weights()]).step, ()


class GetNone(Optimizer):
    def __init__(self, params, lr=0.1):
        super().__init__(params, dict(lr=lr))

    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            for p in group["params"]:
                state = self.state[p]
                average = state.get("average")
                if average is None:
                    average = state["average"] = torch.zeros_like(p)
                p.add_(torch.sign(average * 0.9 + p.grad * 0.1), alpha=-group["lr"])
                average.mul_(0.99).add_(p.grad, alpha=0.01)


def make_average_by_get():
    return GetNone([_weights()]).step, ()


class Sharpness(Optimizer):
    def __init__(self, params, rho=0.05):
        super().__init__(params, dict(rho=rho))

    @torch.no_grad()
    def first_step(self):
        norm = torch.stack([p.grad.norm() for g in self.param_groups for p in g["params"]]).norm()
        for group in self.param_groups:
            scale = group["rho"] / (norm + 1e-12)
            for p in group["params"]:
                self.state[p]["old"] = p.data.clone()
                p.add_(p.grad * scale)


def make_weights_kept_before_a_step():
    return Sharpness([_weights()]).first_step, ()


class Gathered(Optimizer):
    def __init__(self, params, lr=0.1):
        super().__init__(params, dict(lr=lr))

    def _init_group(self, group, params, grads, averages):
        for p in group["params"]:
            if p.grad is not None:
                params.append(p)
                grads.append(p.grad)
                state = self.state[p]
                if len(state) == 0:
                    state["average"] = torch.zeros_like(p, memory_format=torch.preserve_format)
                averages.append(state["average"])

    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            params, grads, averages = [], [], []
            self._init_group(group, params, grads, averages)
            _update(params, grads, averages, lr=group["lr"])


def _update(params, grads, averages, *, lr):
    for i, param in enumerate(params):
        averages[i].mul_(0.9).add_(grads[i])
        param.add_(averages[i], alpha=-lr)


def make_lists_gathered_by_group():
    return Gathered([_weights()]).step, ()


class Filled(Optimizer):
    def __init__(self, params, lr=0.1):
        super().__init__(params, dict(lr=lr))
        for group in self.param_groups:
            for p in group["params"]:
                self.state[p]["average"] = torch.zeros_like(p)

    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            for p in group["params"]:
                state = self.state[p]
                if "average" not in state:
                    state["average"] = torch.zeros_like(p)
                state["average"].lerp_(p.grad, 0.1)
                p.add_(state["average"], alpha=-group["lr"])


def make_state_filled_by_the_constructor():
    return Filled([_weights()]).step, ()


class ById:
    def __init__(self, params, lr=0.1):
        self.params = list(params)
        self.lr = lr
        self.memory = defaultdict(dict)

    @torch.no_grad()
    def step(self):
        for number, p in enumerate(self.params):
            memory = self.memory[number]
            if "velocity" not in memory:
                memory["velocity"] = torch.zeros_like(p)
            memory["velocity"].mul_(0.9).add_(p.grad)
            p.sub_(memory["velocity"] * self.lr)


def make_memory_by_number():
    return ById([_weights()]).step, ()


class Shadow:
    def __init__(self, decay=0.99):
        self.decay = decay
        self.shadow = {}

    @torch.no_grad()
    def update(self, model):
        for name, p in model.named_parameters():
            if name not in self.shadow:
                self.shadow[name] = p.detach().clone()
            else:
                self.shadow[name].lerp_(p.detach(), 1 - self.decay)


def make_shadow_of_weights():
    return Shadow().update, (nn.Linear(3, 3),)


class Warm:
    def __init__(self, model, decay=0.99):
        self.decay = decay
        self.num_updates = 0
        self.shadow = {name: p.detach().clone() for name, p in model.named_parameters()}

    @torch.no_grad()
    def update(self, model):
        self.num_updates += 1
        decay = min(self.decay, (1 + self.num_updates) / (10 + self.num_updates))
        for name, p in model.named_parameters():
            self.shadow[name].sub_((1 - decay) * (self.shadow[name] - p))


def make_decay_that_warms_up():
    model = nn.Linear(3, 3)
    return Warm(model).update, (model,)


class Steady:
    def __init__(self, model, decay=0.99):
        self.decay = decay
        self.shadow = {name: p.detach().clone() for name, p in model.named_parameters()}

    @torch.no_grad()
    def update(self, model):
        for name, p in model.named_parameters():
            if name in self.shadow:
                self.shadow[name].sub_((1 - self.decay) * (self.shadow[name] - p))


def make_shadow_made_before():
    model = nn.Linear(3, 3)
    return Steady(model).update, (model,)


class Scaler:
    def __init__(self):
        self.scale = 1024.0
        self.good = 0

    def loss(self, x):
        self.good += 1
        if self.good % 4 == 0:
            self.scale *= 2.0
        return x.sum() * self.scale


def make_scale_that_grows():
    return Scaler().loss, (torch.ones(4),)


@dataclass
class Progress:
    step: int = 0
    total: int = 100


class Annealed(nn.Module):
    def __init__(self):
        super().__init__()
        self.progress = Progress()
        self.net = nn.Linear(4, 4)

    def forward(self, x):
        self.progress.step += 1
        temperature = 1.0 - self.progress.step / self.progress.total
        return torch.softmax(self.net(x) / temperature, -1)


def make_progress_in_a_dataclass():
    return Annealed(), (torch.ones(2, 4),)


class LinearSchedule:
    def __init__(self, start, end, steps):
        self.value, self.end, self.delta = start, end, (end - start) / steps

    def advance(self):
        self.value = max(self.end, self.value + self.delta)


class Noisy(nn.Module):
    def __init__(self):
        super().__init__()
        self.schedule = LinearSchedule(1.0, 0.0, 50)
        self.net = nn.Linear(4, 4)

    def forward(self, x):
        y = self.net(x) + self.schedule.value * torch.ones_like(x)
        self.schedule.advance()
        return y


def make_schedule_that_advances():
    return Noisy(), (torch.ones(2, 4),)


class Meter:
    def __init__(self):
        self.sum, self.count, self.avg = 0.0, 0, 0.0

    def update(self, value, n=1):
        self.sum = self.sum + value * n
        self.count += n
        self.avg = self.sum / self.count


class Metered(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Linear(4, 1)
        self.meter = Meter()

    def forward(self, x):
        loss = self.net(x).mean()
        self.meter.update(loss.detach(), x.shape[0])
        return loss


def make_meter_of_losses():
    return Metered(), (torch.ones(2, 4),)


class MeterOutside(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Linear(4, 1)
        self.calls = 0

    def note(self):
        self.calls += 1

    def forward(self, x):
        return self.net(x).mean()


def make_counter_of_another_method():
    return MeterOutside(), (torch.ones(2, 4),)
