"""Pieces of training loops that people compile: updates, clipping, metrics, accumulators, custom operators."""

import torch
from torch import nn
from torch.nn import functional as F


class Meter:
    def __init__(self):
        self.total = torch.zeros(())
        self.count = 0

    def update(self, loss):
        self.total = self.total.to(loss.device) + loss.detach()
        return self.total


def make_meter_total_rebound():
    return Meter().update, [((torch.tensor(1.0),), {})]


class BufferMeter(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("total", torch.zeros(()))

    def forward(self, loss):
        self.total += loss
        return self.total * 1.0


def make_meter_of_buffers():
    return BufferMeter(), [((torch.tensor(1.0),), {})]


def accumulate(losses, loss):
    losses.append(loss.detach())
    return torch.stack(losses).mean()


def make_losses_appended():
    return accumulate, [(([], torch.tensor(1.0)), {})]


def clip_scaled(grads, limit=1.0):
    norm = torch.stack([g.norm() for g in grads]).norm()
    scale = torch.clamp(limit / (norm + 1e-6), max=1.0)
    return [g * scale for g in grads]


def make_clip_scaled():
    return clip_scaled, [(([torch.randn(3), torch.randn(4)],), {})]


def clip_in_place(grads, limit=1.0):
    norm = torch.stack([g.norm() for g in grads]).norm()
    for g in grads:
        g.mul_(torch.clamp(limit / (norm + 1e-6), max=1.0))
    return norm


def make_clip_in_place():
    return clip_in_place, [(([torch.randn(3), torch.randn(4)],), {})]


def momentum(p, g, m, lr):
    m = 0.9 * m + g
    return p - lr * m, m


def make_momentum_pure():
    args = tuple(torch.randn(4) for _ in range(3))
    return momentum, [((*args, 0.1), {}), ((*args, 0.1), {})]


def momentum_scheduled(p, g, m, lr):
    m = 0.9 * m + g
    return p - lr * m, m


def make_momentum_scheduled():
    args = tuple(torch.randn(4) for _ in range(3))
    return momentum_scheduled, [((*args, 0.1), {}), ((*args, 0.05), {})]


def momentum_in_place(p, g, m):
    m.mul_(0.9).add_(g)
    p.sub_(0.1 * m)


def make_momentum_in_place():
    return momentum_in_place, [(tuple(torch.randn(4) for _ in range(3)), {})]


def newton_schulz(g, steps=3):
    a, b, c = (3.4445, -4.7750, 2.0315)
    x = g / (g.norm() + 1e-7)
    for _ in range(steps):
        y = x @ x.mT
        x = a * x + (b * y + c * y @ y) @ x
    return x


def make_newton_schulz():
    return newton_schulz, [((torch.randn(4, 6),), {})]


def accuracy(logits, labels):
    return (logits.argmax(-1) == labels).float().mean().cpu()


def make_accuracy_to_host():
    return accuracy, [((torch.randn(4, 3), torch.tensor([0, 1, 2, 1])), {})]


def confusion(logits, labels):
    flat = labels * 3 + logits.argmax(-1)
    return torch.zeros(9, device=logits.device).scatter_add(0, flat, torch.ones_like(flat, dtype=torch.float)).view(3, 3)


def make_confusion():
    return confusion, [((torch.randn(4, 3), torch.tensor([0, 1, 2, 1])), {})]


@torch.library.custom_op("later::scaled", mutates_args=())
def scaled_op(x: torch.Tensor, k: float) -> torch.Tensor:
    return x * k


@scaled_op.register_fake
def _(x, k):
    return torch.empty_like(x)


def uses_scaled(x):
    return scaled_op(x, 2.0) + 1


def make_custom_operator_pure():
    return uses_scaled, [((torch.randn(3),), {})]


@torch.library.custom_op("later::bump", mutates_args=("x",))
def bump_op(x: torch.Tensor) -> None:
    x.add_(1)


def uses_bump(x):
    bump_op(x)
    return x * 2


def make_custom_operator_writes_argument():
    return uses_bump, [((torch.randn(3),), {})]


def uses_bump_on_copy(x):
    y = x.clone()
    bump_op(y)
    return y * 2


def make_custom_operator_writes_copy():
    return uses_bump_on_copy, [((torch.randn(3),), {})]


@torch.library.custom_op("later::unsafe", mutates_args=(), tags=(torch._C.Tag.cudagraph_unsafe,))
def unsafe_op(x: torch.Tensor) -> torch.Tensor:
    return x + 1


@unsafe_op.register_fake
def _(x):
    return torch.empty_like(x)


def uses_unsafe(x):
    return unsafe_op(x * 2) * 3


def make_custom_operator_tagged():
    return uses_unsafe, [((torch.randn(3),), {})]


class StepCounter(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(4, 4)
        self.step = torch.tensor(0)

    def forward(self, x):
        self.step = self.step + 1
        return self.linear(x) / self.step


def make_step_tensor_on_host():
    return StepCounter(), [((torch.randn(3, 4),), {})]


class Temperature(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(4, 4)
        self.temperature = 2.0

    def forward(self, x):
        return F.softmax(self.linear(x) / self.temperature, -1)


def make_temperature_number():
    return Temperature(), [((torch.randn(3, 4),), {})]


class SpectralNorm(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(4, 4))
        self.register_buffer("u", F.normalize(torch.randn(4), dim=0))

    def forward(self, x):
        with torch.no_grad():
            v = F.normalize(self.weight.t() @ self.u, dim=0)
            self.u.copy_(F.normalize(self.weight @ v, dim=0))
        return x @ (self.weight / torch.dot(self.u, self.weight @ v))


def make_spectral_norm():
    return SpectralNorm(), [((torch.randn(3, 4),), {})]


class HiddenState(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell = nn.GRUCell(4, 4)
        self.hidden = None

    def forward(self, x):
        if self.hidden is None:
            self.hidden = torch.zeros(x.shape[0], 4, device=x.device)
        self.hidden = self.cell(x, self.hidden)
        return self.hidden


def make_hidden_state_kept():
    return HiddenState(), [((torch.randn(3, 4),), {})]


class LastFeatures(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(4, 4)

    def forward(self, x):
        y = self.linear(x)
        self.features = y.detach()
        return y.relu()


def make_features_only_written():
    return LastFeatures(), [((torch.randn(3, 4),), {})]


def graph_conv(x, edge_index):
    source, target = edge_index
    out = torch.zeros_like(x)
    out.index_add_(0, target, x[source])
    degree = torch.zeros(x.shape[0], device=x.device).scatter_add_(0, target, torch.ones(target.shape[0], device=x.device))
    return out / degree.clamp(min=1)[:, None]


def make_graph_convolution():
    return graph_conv, [((torch.randn(4, 3), torch.tensor([[0, 1, 2], [1, 2, 3]])), {})]


def graph_conv_host_degree(x, edge_index):
    degree = torch.bincount(edge_index[1].cpu(), minlength=4)
    return x / degree.clamp(min=1).to(x.device)[:, None]


def make_graph_degree_on_host():
    return graph_conv_host_degree, [((torch.randn(4, 3), torch.tensor([[0, 1, 2], [1, 2, 3]])), {})]


def huber_by_mask(error, delta=1.0):
    small = error.abs() < delta
    loss = torch.empty_like(error)
    loss[small] = 0.5 * error[small] ** 2
    loss[~small] = delta * (error[~small].abs() - 0.5 * delta)
    return loss.mean()


def make_huber_by_mask():
    return huber_by_mask, [((torch.randn(8),), {})]


def huber_by_where(error, delta=1.0):
    return torch.where(error.abs() < delta, 0.5 * error**2, delta * (error.abs() - 0.5 * delta)).mean()


def make_huber_by_where():
    return huber_by_where, [((torch.randn(8),), {})]
