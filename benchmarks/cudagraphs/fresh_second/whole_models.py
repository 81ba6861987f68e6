"""Thirty short programs of models and steps, written before any of them was linted; replayed without a device."""

import math

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F


class Temperature(nn.Module):
    """A plain tensor attribute scales the logits."""

    def __init__(self) -> None:
        super().__init__()
        self.temperature = torch.tensor(0.7)
        self.head = nn.Linear(8, 16)

    def forward(self, x: Tensor) -> Tensor:
        return F.softmax(self.head(x) / self.temperature, dim=-1)


def make_temperature():
    return Temperature(), [((torch.randn(2, 8),), {})]


class TemperatureBuffer(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("temperature", torch.tensor(0.7))
        self.head = nn.Linear(8, 16)

    def forward(self, x: Tensor) -> Tensor:
        return F.softmax(self.head(x) / self.temperature, dim=-1)


def make_temperature_buffer():
    return TemperatureBuffer(), [((torch.randn(2, 8),), {})]


class Window(nn.Module):
    """A window function kept as a list of tensors, used to weight frames."""

    def __init__(self) -> None:
        super().__init__()
        self.windows = [torch.hann_window(8), torch.hamming_window(8)]

    def forward(self, frames: Tensor) -> Tensor:
        return sum(frames * window.to(frames.device) for window in self.windows)


def make_window():
    return Window(), [((torch.randn(2, 8),), {})]


class Positions(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embed = nn.Embedding(16, 8)

    def forward(self, x: Tensor) -> Tensor:
        positions = torch.arange(x.shape[1])
        return x + self.embed(positions.to(x.device))


def make_positions():
    return Positions(), [((torch.randn(2, 5, 8),), {})]


class Rotary(nn.Module):
    def __init__(self, dim: int = 8) -> None:
        super().__init__()
        self.inverse = 1.0 / (10000 ** (torch.arange(0, dim, 2).float() / dim))

    def forward(self, x: Tensor) -> Tensor:
        t = torch.arange(x.shape[1], device=x.device).float()
        angles = torch.outer(t, self.inverse.to(x.device))
        angles = torch.cat((angles, angles), dim=-1)
        return x * angles.cos() + x.flip(-1) * angles.sin()


def make_rotary():
    return Rotary(), [((torch.randn(2, 5, 8),), {})]


class RotaryBuffer(Rotary):
    def __init__(self) -> None:
        super().__init__()
        inverse = self.inverse
        del self.inverse
        self.register_buffer("inverse", inverse, persistent=False)


def make_rotary_buffer():
    return RotaryBuffer(), [((torch.randn(2, 5, 8),), {})]


class MaskedMean(nn.Module):
    def forward(self, x: Tensor, lengths: Tensor) -> Tensor:
        mask = torch.arange(x.shape[1], device=x.device)[None] < lengths[:, None]
        return (x * mask[..., None]).sum(1) / lengths[:, None].clamp(min=1)


def make_masked_mean():
    return MaskedMean(), [((torch.randn(2, 5, 8), torch.tensor([3, 5])), {})]


class Dropped(nn.Module):
    """Rows of padding are set to a learnt vector."""

    def __init__(self) -> None:
        super().__init__()
        self.pad = nn.Parameter(torch.zeros(8))

    def forward(self, x: Tensor, padding: Tensor) -> Tensor:
        x = x.clone()
        x[padding] = self.pad
        return x


def make_dropped():
    return Dropped(), [((torch.randn(2, 5, 8), torch.zeros(2, 5, dtype=torch.bool)), {})]


class DroppedNumber(nn.Module):
    def forward(self, x: Tensor, padding: Tensor) -> Tensor:
        x = x.clone()
        x[padding] = 0.0
        return x


def make_dropped_number():
    return DroppedNumber(), [((torch.randn(2, 5, 8), torch.zeros(2, 5, dtype=torch.bool)), {})]


class RunningNorm(nn.Module):
    """Statistics in a buffer, updated in place."""

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("mean", torch.zeros(8))

    def forward(self, x: Tensor) -> Tensor:
        self.mean.mul_(0.9).add_(x.mean(0), alpha=0.1)
        return x - self.mean


def make_running_norm():
    return RunningNorm(), [((torch.randn(4, 8),), {})]


class RunningNormReplaced(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("mean", torch.zeros(8))

    def forward(self, x: Tensor) -> Tensor:
        self.mean = 0.9 * self.mean + 0.1 * x.mean(0)
        return x - self.mean


def make_running_norm_replaced():
    return RunningNormReplaced(), [((torch.randn(4, 8),), {})]


class Recurrent(nn.Module):
    """The state of the last call is kept on the module."""

    def __init__(self) -> None:
        super().__init__()
        self.cell = nn.GRUCell(8, 8)
        self.state = None

    def forward(self, x: Tensor) -> Tensor:
        if self.state is None:
            self.state = torch.zeros_like(x)
        self.state = self.cell(x, self.state)
        return self.state


def make_recurrent():
    return Recurrent(), [((torch.randn(2, 8),), {})]


class Residual(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(8)

    def forward(self, x: Tensor) -> Tensor:
        x += self.norm(x)
        return x


def make_residual():
    return Residual(), [((torch.randn(2, 8),), {})]


class ResidualOfOwn(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.up = nn.Linear(8, 8)

    def forward(self, x: Tensor) -> Tensor:
        h = self.up(x)
        h += x
        return h.relu_()


def make_residual_of_own():
    return ResidualOfOwn(), [((torch.randn(2, 8),), {})]


class NoiseSchedule:
    """Not a module: the table stays where it was made."""

    def __init__(self) -> None:
        self.alphas = torch.linspace(0.99, 0.01, 10).cumprod(0)

    def add(self, x: Tensor, noise: Tensor, step: Tensor) -> Tensor:
        a = self.alphas.to(x.device)[step][:, None]
        return a.sqrt() * x + (1 - a).sqrt() * noise


def make_noise_schedule():
    return NoiseSchedule().add, [((torch.randn(2, 8), torch.randn(2, 8), torch.tensor([1, 3])), {})]


class StepOfSchedule:
    def __init__(self) -> None:
        self.sigmas = torch.linspace(10.0, 0.0, 11)
        self.index = 3

    def step(self, out: Tensor, x: Tensor) -> Tensor:
        sigma, following = self.sigmas[self.index], self.sigmas[self.index + 1]
        return x + (following - sigma) * out


def make_step_of_schedule():
    return StepOfSchedule().step, [((torch.randn(2, 8), torch.randn(2, 8)), {})]


class StepOfNumbers:
    def __init__(self) -> None:
        self.sigmas = np.linspace(10.0, 0.0, 11).tolist()
        self.index = 3

    def step(self, out: Tensor, x: Tensor) -> Tensor:
        return x + (self.sigmas[self.index + 1] - self.sigmas[self.index]) * out


def make_step_of_numbers():
    return StepOfNumbers().step, [((torch.randn(2, 8), torch.randn(2, 8)), {})]


class Guided(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.net = nn.Linear(8, 8)

    def forward(self, x: Tensor, scale: Tensor) -> Tensor:
        conditional, free = self.net(torch.cat([x, x])).chunk(2)
        return free + scale * (conditional - free)


def make_guided():
    return Guided(), [((torch.randn(2, 8), torch.tensor(7.5)), {})]


class Whiten(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        covariance = x.T @ x / x.shape[0]
        values, vectors = torch.linalg.eigh(covariance)
        return x @ vectors / values.clamp(min=1e-4).sqrt()


def make_whiten():
    return Whiten(), [((torch.randn(16, 4),), {})]


class Whitened(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("matrix", torch.eye(4))

    def forward(self, x: Tensor) -> Tensor:
        return (x - x.mean(0)) @ self.matrix


def make_whitened():
    return Whitened(), [((torch.randn(16, 4),), {})]


class Router(nn.Module):
    """Experts without loops: all are computed, and weighted."""

    def __init__(self) -> None:
        super().__init__()
        self.gate = nn.Linear(8, 4)
        self.experts = nn.ModuleList([nn.Linear(8, 8) for _ in range(4)])

    def forward(self, x: Tensor) -> Tensor:
        weights = self.gate(x).softmax(-1)
        kept = torch.topk(weights, 2, dim=-1)
        weights = torch.zeros_like(weights).scatter(-1, kept.indices, kept.values)
        return sum(weights[:, i : i + 1] * expert(x) for i, expert in enumerate(self.experts))


def make_router():
    return Router(), [((torch.randn(6, 8),), {})]


class Counted(nn.Module):
    """A histogram of classes on the host weights the loss."""

    def __init__(self) -> None:
        super().__init__()
        self.weight = torch.ones(4)

    def forward(self, logits: Tensor, labels: Tensor) -> Tensor:
        return F.cross_entropy(logits, labels, weight=self.weight.to(logits.device))


def make_counted():
    return Counted(), [((torch.randn(6, 4), torch.randint(0, 4, (6,))), {})]


class Anchors(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.sizes = torch.tensor([[8.0, 16.0], [16.0, 8.0]])

    def forward(self, deltas: Tensor) -> Tensor:
        ys, xs = torch.meshgrid(torch.arange(4), torch.arange(4), indexing="ij")
        centers = torch.stack([xs, ys], -1).reshape(-1, 2).float().to(deltas.device)
        return centers[None, :, None] + deltas.exp() * self.sizes.to(deltas.device)


def make_anchors():
    return Anchors(), [((torch.randn(2, 16, 2, 2),), {})]


class AnchorsOnDevice(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("sizes", torch.tensor([[8.0, 16.0], [16.0, 8.0]]))

    def forward(self, deltas: Tensor) -> Tensor:
        steps = torch.arange(4, device=deltas.device)
        ys, xs = torch.meshgrid(steps, steps, indexing="ij")
        centers = torch.stack([xs, ys], -1).reshape(-1, 2).float()
        return centers[None, :, None] + deltas.exp() * self.sizes


def make_anchors_on_device():
    return AnchorsOnDevice(), [((torch.randn(2, 16, 2, 2),), {})]


class Quantizer(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.codes = nn.Parameter(torch.randn(16, 8))

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        nearest = torch.cdist(x, self.codes).argmin(-1)
        picked = self.codes[nearest]
        return x + (picked - x).detach(), nearest


def make_quantizer():
    return Quantizer(), [((torch.randn(6, 8),), {})]


class Exponential(nn.Module):
    """An average of the weights that a method writes with a rate kept as a tensor."""

    def __init__(self) -> None:
        super().__init__()
        self.net = nn.Linear(8, 8)
        self.register_buffer("average", torch.zeros(8, 8))
        self.rate = torch.tensor(0.99)

    def forward(self, x: Tensor) -> Tensor:
        self.average.lerp_(self.net.weight, 1 - self.rate)
        return x @ self.average.T


def make_exponential():
    return Exponential(), [((torch.randn(2, 8),), {})]


class Scaled(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.scale = math.log(100.0)

    def forward(self, image: Tensor, text: Tensor) -> Tensor:
        logits = math.exp(self.scale) * F.normalize(image, dim=-1) @ F.normalize(text, dim=-1).T
        return F.cross_entropy(logits, torch.arange(len(logits), device=logits.device))


def make_scaled():
    return Scaled(), [((torch.randn(4, 8), torch.randn(4, 8)), {})]


class Jittered(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return x + 0.1 * torch.randn(x.shape[-1]).to(x.device)


def make_jittered():
    return Jittered(), [((torch.randn(2, 8),), {})]


class JitteredThere(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return x + 0.1 * torch.randn(x.shape[-1], device=x.device) * torch.tensor(0.5, device=x.device)


def make_jittered_there():
    return JitteredThere(), [((torch.randn(2, 8),), {})]


class Cached(nn.Module):
    """A cache of fixed size, written at a position that is a tensor of the device."""

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("keys", torch.zeros(1, 16, 8))

    def forward(self, key: Tensor, position: Tensor) -> Tensor:
        self.keys.index_copy_(1, position, key)
        return self.keys @ key.transpose(1, 2)


def make_cached():
    return Cached(), [((torch.randn(1, 1, 8), torch.tensor([3])), {})]
