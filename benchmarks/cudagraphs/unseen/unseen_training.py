"""Optimizer-like updates, averaged weights, gradient scaling and loss functions."""

import math
from dataclasses import dataclass
from typing import NamedTuple

import torch
import torch.nn as nn
import torch.nn.functional as F


def sgd_momentum(params, grads, moments, lr=0.1, beta=0.9):
    for p, g, m in zip(params, grads, moments):
        m.mul_(beta).add_(g)
        p.sub_(lr * m)
    return [p.norm() for p in params]


def make_sgd_lists():
    lists = [[torch.randn(4, 4), torch.randn(4)] for _ in range(3)]
    return sgd_momentum, [(tuple(lists), {})]


class OwnedAdam(nn.Module):
    def __init__(self, shape=(6, 4), lr=1e-2, betas=(0.9, 0.99)):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(shape))
        self.register_buffer("m", torch.zeros(shape))
        self.register_buffer("v", torch.zeros(shape))
        self.register_buffer("t", torch.zeros(()))
        self.lr, self.betas = lr, betas

    def forward(self, grad):
        b1, b2 = self.betas
        self.t.add_(1.0)
        self.m.lerp_(grad, 1 - b1)
        self.v.lerp_(grad.square(), 1 - b2)
        denom = (self.v / (1 - b2**self.t)).sqrt() + 1e-8
        self.weight.data.sub_(self.lr * (self.m / (1 - b1**self.t)) / denom)
        return self.weight.norm()


def make_adam_module_state():
    return OwnedAdam(), [((torch.randn(6, 4),), {}), ((torch.randn(6, 4),), {})]


class LionState(NamedTuple):
    param: torch.Tensor
    exp_avg: torch.Tensor


def lion(state, grad, lr=1e-3, b1=0.9, b2=0.99, wd=0.01):
    update = torch.sign(b1 * state.exp_avg + (1 - b1) * grad)
    param = state.param * (1 - lr * wd) - lr * update
    return LionState(param, torch.lerp(state.exp_avg, grad, 1 - b2))


def make_lion_functional():
    return lion, [((LionState(torch.randn(5, 5), torch.zeros(5, 5)), torch.randn(5, 5)), {})]


def adam_update(p, g, m, v, step, lr=1e-3):
    m = 0.9 * m + 0.1 * g
    v = 0.999 * v + 0.001 * g * g
    scale = lr * math.sqrt(1 - 0.999**step) / (1 - 0.9**step)
    return p - scale * m / (v.sqrt() + 1e-8), m, v


def make_adam_python_step():
    t = [torch.randn(6) for _ in range(2)] + [torch.zeros(6), torch.ones(6)]
    return adam_update, [((*t, 1), {}), ((*t, 2), {})]


def make_adam_tensor_step():
    def update(p, g, state):
        step = state["step"] + 1
        m = torch.lerp(state["m"], g, 0.1)
        v = torch.lerp(state["v"], g * g, 0.001)
        scale = torch.sqrt(1 - torch.pow(0.999, step)) / (1 - torch.pow(0.9, step))
        return p - 1e-3 * scale * m / (v.sqrt() + 1e-8), {"step": step, "m": m, "v": v}

    s1 = {"step": torch.tensor(0.0), "m": torch.zeros(6), "v": torch.ones(6)}
    s2 = {"step": torch.tensor(1.0), "m": torch.zeros(6), "v": torch.ones(6)}
    return update, [((torch.randn(6), torch.randn(6), s1), {}), ((torch.randn(6), torch.randn(6), s2), {})]


class MeanTeacher(nn.Module):
    def __init__(self, decay=0.995):
        super().__init__()
        self.decay = decay
        self.student = nn.Sequential(nn.Linear(8, 16), nn.GELU(), nn.Linear(16, 4))
        self.teacher = nn.Sequential(nn.Linear(8, 16), nn.GELU(), nn.Linear(16, 4)).requires_grad_(False)

    def forward(self, x):
        for s, t in zip(self.student.parameters(), self.teacher.parameters()):
            t.lerp_(s.detach(), 1 - self.decay)
        return F.mse_loss(self.student(x), self.teacher(x))


def make_mean_teacher():
    return MeanTeacher(), [((torch.randn(4, 8),), {}), ((torch.randn(4, 8),), {})]


class ShadowWeights(nn.Module):
    def __init__(self, decay=0.9):
        super().__init__()
        self.net = nn.Linear(8, 4)
        self.decay = decay
        self.shadow = {k: v.detach().clone() for k, v in self.net.named_parameters()}

    def forward(self, x):
        for name, p in self.net.named_parameters():
            old = self.shadow[name]
            old.copy_(self.decay * old + (1 - self.decay) * p.detach().cpu())
        return self.net(x)


def make_shadow_weights_host():
    return ShadowWeights(), [((torch.randn(4, 8),), {})]


def clip_if_needed(grads, max_norm=1.0):
    total = torch.linalg.vector_norm(torch.stack([g.norm() for g in grads]))
    if total > max_norm:
        grads = [g * (max_norm / total) for g in grads]
    return grads, total


def make_clip_if():
    return clip_if_needed, [(([torch.randn(4, 4), torch.randn(7)],), {})]


def make_clip_coefficient():
    def clip(grads, max_norm=1.0, eps=1e-6):
        norms = torch._foreach_norm(grads)
        total = torch.linalg.vector_norm(torch.stack(norms))
        coef = torch.clamp(max_norm / (total + eps), max=1.0)
        return torch._foreach_mul(grads, coef), total

    return clip, [(([torch.randn(4, 4), torch.randn(7)],), {})]


@dataclass
class FocalLoss:
    gamma: float = 2.0
    alpha: float = 0.25

    def compute(self, logits, targets):
        ce = F.binary_cross_entropy_with_logits(logits, targets, reduction="none")
        p = logits.sigmoid()
        pt = p * targets + (1 - p) * (1 - targets)
        weight = self.alpha * targets + (1 - self.alpha) * (1 - targets)
        return (weight * (1 - pt) ** self.gamma * ce).sum() / targets.sum().clamp(min=1)


def make_focal_dataclass():
    return FocalLoss().compute, [((torch.randn(4, 10), (torch.rand(4, 10) > 0.8).float()), {})]


class MaskedLMHead(nn.Module):
    def __init__(self, dim=16, vocab=32):
        super().__init__()
        self.decoder = nn.Linear(dim, vocab)

    def forward(self, hidden, labels):
        active = labels != -100
        logits = self.decoder(hidden[active])
        return F.cross_entropy(logits, labels[active])


def make_mlm_active_positions():
    labels = torch.randint(32, (2, 10))
    labels[:, ::2] = -100
    return MaskedLMHead(), [((torch.randn(2, 10, 16), labels), {})]


class ShiftedLMHead(nn.Module):
    def __init__(self, dim=16, vocab=32):
        super().__init__()
        self.emb = nn.Embedding(vocab, dim)

    def forward(self, hidden, labels):
        logits = F.linear(hidden, self.emb.weight)[:, :-1]
        return F.cross_entropy(logits.flatten(0, 1), labels[:, 1:].flatten(), ignore_index=-100, label_smoothing=0.1)


def make_shifted_lm_loss():
    labels = torch.randint(32, (2, 10))
    labels[:, ::2] = -100
    return ShiftedLMHead(), [((torch.randn(2, 10, 16), labels), {})]


def build_updater(shapes, lr=0.05):
    weights = [torch.zeros(s, device="cuda") for s in shapes]

    def update(grads):
        for w, g in zip(weights, grads):
            w.sub_(lr * g / (g.norm() + 1e-6))
        return torch.stack([w.abs().max() for w in weights])

    return update


def make_updater_closure_weights():
    return build_updater([(4, 4), (7,)]), [(([torch.randn(4, 4), torch.randn(7)],), {})]


class RankedNegatives(nn.Module):
    def __init__(self, ratio=3):
        super().__init__()
        self.ratio = ratio

    def forward(self, losses, is_pos):
        quota = self.ratio * is_pos.sum(1, keepdim=True)
        rank = losses.masked_fill(is_pos, -1.0).argsort(1, descending=True).argsort(1)
        chosen = is_pos | (rank < quota)
        return (losses * chosen).sum() / chosen.sum().clamp(min=1)


def make_hard_negatives_ranked():
    return RankedNegatives(), [((torch.rand(2, 40), torch.rand(2, 40) > 0.9), {})]


class BalancedCE(nn.Module):
    def __init__(self, counts):
        super().__init__()
        w = 1.0 / torch.tensor(counts, dtype=torch.float32)
        self.class_weight = w / w.sum() * len(counts)

    def forward(self, logits, target):
        return F.cross_entropy(logits, target, weight=self.class_weight.to(logits.device))


def make_balanced_ce_attribute():
    return BalancedCE([100, 20, 5, 1]), [((torch.randn(8, 4), torch.randint(4, (8,))), {})]


class InfoNCE(nn.Module):
    def __init__(self, dim=16):
        super().__init__()
        self.head = nn.Linear(dim, dim)
        self.log_t = nn.Parameter(torch.tensor(math.log(1 / 0.07)))

    def forward(self, a, b):
        a, b = (F.normalize(self.head(y), dim=-1) for y in (a, b))
        logits = a @ b.t() * self.log_t.exp()
        target = torch.arange(a.shape[0], device=a.device)
        return (F.cross_entropy(logits, target) + F.cross_entropy(logits.t(), target)) / 2


def make_clip_infonce():
    return InfoNCE(), [((torch.randn(6, 16), torch.randn(6, 16)), {})]


class Speech(nn.Module):
    def __init__(self, classes=12):
        super().__init__()
        self.encoder = nn.Conv1d(8, classes, 3, padding=1)

    def forward(self, feats, targets, in_len, tgt_len):
        logp = self.encoder(feats).permute(2, 0, 1).log_softmax(-1)
        return F.ctc_loss(logp, targets, in_len, tgt_len, zero_infinity=True)


def make_ctc_speech():
    return Speech(), [
        ((torch.randn(2, 8, 20), torch.randint(1, 12, (2, 5)), torch.tensor([20, 18]), torch.tensor([5, 4])), {})
    ]


class LossScaler:
    def __init__(self, scale=2.0**10):
        self.scale = scale

    def unscale(self, grads):
        out = [g / self.scale for g in grads]
        found_inf = any(not torch.isfinite(g).all().item() for g in out)
        self.scale *= 0.5 if found_inf else 2.0
        return [torch.zeros_like(g) for g in out] if found_inf else out


def make_loss_scaler_branch():
    return LossScaler().unscale, [(([torch.randn(4), torch.randn(3, 3)],), {})]
