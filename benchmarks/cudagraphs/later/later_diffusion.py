"""Samplers and diffusion losses: tables of noise levels, time embeddings, guidance."""

import math

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

BETAS = torch.linspace(1e-4, 0.02, 50)
ALPHAS = torch.cumprod(1.0 - BETAS, dim=0)


def extract(table, t, shape):
    out = table.gather(-1, t.cpu())
    return out.reshape(t.shape[0], *((1,) * (len(shape) - 1))).to(t.device)


def add_noise(x, t, noise):
    a = extract(ALPHAS, t, x.shape)
    return a.sqrt() * x + (1 - a).sqrt() * noise


def make_table_gathered_on_host():
    return add_noise, [((torch.randn(2, 3, 4, 4), torch.tensor([3, 9]), torch.randn(2, 3, 4, 4)), {})]


def add_noise_moved(x, t, noise):
    a = ALPHAS.to(x.device)[t].view(-1, 1, 1, 1)
    return a.sqrt() * x + (1 - a).sqrt() * noise


def make_table_moved_each_call():
    return add_noise_moved, [((torch.randn(2, 3, 4, 4), torch.tensor([3, 9]), torch.randn(2, 3, 4, 4)), {})]


class Schedule(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("alphas", ALPHAS.clone())

    def forward(self, x, t, noise):
        a = self.alphas[t].view(-1, 1, 1, 1)
        return a.sqrt() * x + (1 - a).sqrt() * noise


def make_table_as_buffer():
    return Schedule(), [((torch.randn(2, 3, 4, 4), torch.tensor([3, 9]), torch.randn(2, 3, 4, 4)), {})]


class Sampler:
    def __init__(self):
        self.alphas = ALPHAS.clone()
        self.final = torch.tensor(1.0)

    def step(self, eps, t, x):
        a = self.alphas[t]
        before = self.alphas[t - 1] if t > 0 else self.final
        clean = (x - (1 - a) ** 0.5 * eps) / a**0.5
        return before**0.5 * clean + (1 - before) ** 0.5 * eps


def make_sampler_object_step():
    return Sampler().step, [((torch.randn(1, 3, 4, 4), 20, torch.randn(1, 3, 4, 4)), {})]


class FloatSampler:
    def __init__(self):
        self.alphas = [float(a) for a in ALPHAS]

    def step(self, eps, t, x):
        a, before = self.alphas[t], self.alphas[t - 1]
        clean = (x - (1 - a) ** 0.5 * eps) / a**0.5
        return before**0.5 * clean + (1 - before) ** 0.5 * eps


def make_sampler_of_floats():
    return FloatSampler().step, [((torch.randn(1, 3, 4, 4), 20, torch.randn(1, 3, 4, 4)), {})]


class NumpySampler:
    def __init__(self):
        self.alphas = np.cumprod(1.0 - np.linspace(1e-4, 0.02, 50))

    def step(self, eps, t, x):
        a = torch.from_numpy(self.alphas).to(device=x.device)[t].float()
        return (x - (1 - a).sqrt() * eps) / a.sqrt()


def make_sampler_of_numpy_table():
    return NumpySampler().step, [((torch.randn(1, 3, 4, 4), 20, torch.randn(1, 3, 4, 4)), {})]


class TimeEmbedding(nn.Module):
    def __init__(self, width=16):
        super().__init__()
        self.width = width
        self.mlp = nn.Sequential(nn.Linear(width, width), nn.SiLU(), nn.Linear(width, width))

    def forward(self, t):
        half = self.width // 2
        freqs = torch.exp(-math.log(10000) * torch.arange(start=0, end=half, dtype=torch.float32) / half).to(
            device=t.device
        )
        args = t[:, None].float() * freqs[None]
        return self.mlp(torch.cat([torch.cos(args), torch.sin(args)], dim=-1))


def make_time_embedding_dit():
    return TimeEmbedding(), [((torch.tensor([3, 9]),), {})]


class FourierFeatures(nn.Module):
    def __init__(self, width=16):
        super().__init__()
        self.freqs = torch.randn(width // 2) * 30

    def forward(self, t):
        x = t[:, None] * self.freqs[None].to(t.device) * 2 * math.pi
        return torch.cat([x.sin(), x.cos()], dim=-1)


def make_fourier_kept_plainly():
    return FourierFeatures(), [((torch.rand(4),), {})]


def guided_by_tensor(x, scale):
    cond, uncond = x.chunk(2)
    return uncond + scale * (cond - uncond)


def make_guided_by_tensor():
    return guided_by_tensor, [((torch.randn(4, 3), torch.tensor(7.5)), {})]


def rectified_flow_loss(x, noise):
    t = torch.sigmoid(torch.randn((x.shape[0],), device=x.device))
    t = t.view(-1, *([1] * (x.dim() - 1)))
    return F.mse_loss((1 - t) * x + t * noise, noise - x)


def make_flow_loss():
    return rectified_flow_loss, [((torch.randn(4, 3, 4, 4), torch.randn(4, 3, 4, 4)), {})]


def flow_loss_times_on_host(x, noise):
    t = torch.rand(x.shape[0]).to(x.device).view(-1, 1, 1, 1)
    return F.mse_loss((1 - t) * x + t * noise, noise - x)


def make_flow_loss_times_on_host():
    return flow_loss_times_on_host, [((torch.randn(4, 3, 4, 4), torch.randn(4, 3, 4, 4)), {})]


def min_snr_loss(pred, target, t):
    snr = ALPHAS / (1 - ALPHAS)
    weight = torch.clamp(snr.to(pred.device)[t], max=5.0)
    return (weight * F.mse_loss(pred, target, reduction="none").mean(dim=(1, 2, 3))).mean()


def make_min_snr_loss():
    return min_snr_loss, [((torch.randn(2, 3, 4, 4), torch.randn(2, 3, 4, 4), torch.tensor([3, 9])), {})]


def karras_sigmas(x, count=10):
    ramp = torch.linspace(0, 1, count, device=x.device)
    sigmas = (80.0 ** (1 / 7) + ramp * (0.002 ** (1 / 7) - 80.0 ** (1 / 7))) ** 7
    return x[None] * sigmas.view(-1, 1, 1, 1)


def make_karras_sigmas():
    return karras_sigmas, [((torch.randn(3, 4, 4),), {})]


def euler_loop(x, steps=4):
    times = torch.linspace(1.0, 0.0, steps + 1)
    for now, after in zip(times[:-1], times[1:]):
        x = x + (after - now) * torch.tanh(x)
    return x


def make_euler_loop_times_on_host():
    return euler_loop, [((torch.randn(2, 4),), {})]


def euler_loop_floats(x, steps=4):
    for i in range(steps):
        x = x - torch.tanh(x) / steps
    return x


def make_euler_loop_floats():
    return euler_loop_floats, [((torch.randn(2, 4),), {})]


class LabelDropper(nn.Module):
    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(11, 8)

    def forward(self, labels):
        drop = torch.rand(labels.shape[0], device=labels.device) < 0.1
        return self.table(torch.where(drop, 10, labels))


def make_label_dropper():
    return LabelDropper(), [((torch.tensor([1, 2, 3]),), {})]


class ExponentialAverage(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(4, 4)
        self.average = torch.zeros(4)

    def forward(self, x):
        y = self.linear(x)
        self.average = 0.9 * self.average.to(x.device) + 0.1 * y.mean(0)
        return y - self.average


def make_average_assigned():
    return ExponentialAverage(), [((torch.randn(3, 4),), {})]
