"""Control-flow operators, linear algebra and Python numbers in numeric routines."""

import math

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch._higher_order_ops.while_loop import while_loop


class EarlyExit(nn.Module):
    def __init__(self, d=8):
        super().__init__()
        self.cheap = nn.Linear(d, d)
        self.costly = nn.Sequential(nn.Linear(d, 4 * d), nn.ReLU(), nn.Linear(4 * d, d))

    def forward(self, x):
        confident = x.softmax(-1).amax() > 0.9

        def skip(y):
            return self.cheap(y)

        def run(y):
            return self.costly(y)

        return torch.cond(confident, skip, run, (x,))


def make_early_exit_cond():
    return EarlyExit(), [((torch.randn(4, 8),), {})]


class SoftExit(nn.Module):
    def __init__(self, d=8, depth=3):
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(d, d) for _ in range(depth))
        self.halt = nn.Linear(d, 1)

    def forward(self, x):
        running = torch.ones_like(x[..., :1], dtype=torch.bool)
        for layer in self.layers:
            x = torch.where(running, x + layer(x).tanh(), x)
            running = running & (self.halt(x).sigmoid() < 0.5)
        return x, running.sum()


def make_soft_exit_where():
    return SoftExit(), [((torch.randn(4, 8),), {})]


def newton_sqrt(a):
    def unfinished(x, i):
        return ((x * x - a).abs().amax() > 1e-4) & (i < 20)

    def improve(x, i):
        return 0.5 * (x + a / x), i + 1

    x, n = while_loop(unfinished, improve, (a.clone(), torch.zeros((), dtype=torch.long, device=a.device)))
    return x * 2, n


def make_newton_while_loop():
    return newton_sqrt, [((torch.rand(6) + 0.5,), {})]


def newton_schulz(g, steps=5, coeffs=(3.4445, -4.7750, 2.0315)):
    a, b, c = coeffs
    x = g / (g.norm() + 1e-7)
    for _ in range(steps):
        s = x @ x.mT
        x = a * x + (b * s + c * s @ s) @ x
    return x


def make_newton_schulz():
    return newton_schulz, [((torch.randn(6, 8),), {})]


def refine_until(x, w, tol=1e-3, limit=12):
    for _ in range(limit):
        new = torch.tanh(x @ w + 0.1)
        if (new - x).abs().max() < tol:
            break
        x = new
    return x


def make_fixed_point_until():
    return refine_until, [((torch.randn(3, 6), torch.randn(6, 6) * 0.1), {})]


class LaplaceHead(nn.Module):
    def __init__(self, d=6):
        super().__init__()
        self.phi = nn.Linear(4, d)
        self.register_buffer("precision", torch.eye(d))

    def forward(self, x):
        f = self.phi(x).cos()
        cov = torch.linalg.inv(self.precision + f.T @ f)
        return (f @ cov * f).sum(-1)


def make_laplace_inverse():
    return LaplaceHead(), [((torch.randn(10, 4),), {})]


def sample_gaussian(mean, cov, eps):
    chol, _ = torch.linalg.cholesky_ex(cov)
    return mean + (chol @ eps.unsqueeze(-1)).squeeze(-1)


def make_cholesky_ex_sample():
    a = torch.randn(3, 5, 5)
    return sample_gaussian, [((torch.randn(3, 5), a @ a.mT + torch.eye(5), torch.randn(3, 5)), {})]


def kabsch(p, q):
    pc, qc = p - p.mean(1, keepdim=True), q - q.mean(1, keepdim=True)
    u, s, vt = torch.linalg.svd(pc.mT @ qc)
    d = torch.sign(torch.det(u @ vt))
    vt = torch.cat([vt[:, :-1], vt[:, -1:] * d[:, None, None]], 1)
    return pc @ u @ vt


def make_kabsch_svd():
    return kabsch, [((torch.randn(2, 10, 3), torch.randn(2, 10, 3)), {})]


class SpectralScale(nn.Module):
    def __init__(self, rows=6, cols=8, iters=2):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(rows, cols))
        self.register_buffer("u", F.normalize(torch.randn(rows), dim=0))
        self.iters = iters

    def forward(self, x):
        u = self.u
        for _ in range(self.iters):
            v = F.normalize(self.weight.T @ u, dim=0)
            u = F.normalize(self.weight @ v, dim=0)
        self.u.copy_(u)
        return F.linear(x, self.weight / torch.dot(u, self.weight @ v))


def make_power_iteration():
    return SpectralScale(), [((torch.randn(3, 8),), {}), ((torch.randn(3, 8),), {})]


class ShampooPrecond:
    def __init__(self, eps=1e-4):
        self.eps = eps

    def root(self, mat, p):
        vals, vecs = torch.linalg.eigh(mat + self.eps * torch.eye(mat.shape[0], device=mat.device))
        return vecs * vals.clamp(min=self.eps).pow(-1.0 / p) @ vecs.T

    def apply(self, grad):
        return self.root(grad @ grad.T, 4) @ grad @ self.root(grad.T @ grad, 4)


def make_shampoo_eigh():
    return ShampooPrecond().apply, [((torch.randn(5, 4),), {})]


class RidgeReadout(nn.Module):
    def __init__(self, lam=1e-2):
        super().__init__()
        self.lam = lam

    def forward(self, states, targets):
        gram = states.mT @ states
        gram = gram + self.lam * torch.eye(gram.shape[-1], device=gram.device, dtype=gram.dtype)
        return torch.linalg.solve(gram, states.mT @ targets)


def make_ridge_solve():
    return RidgeReadout(), [((torch.randn(20, 6), torch.randn(20, 2)), {})]


def make_triangular_flow():
    def inverse_flow(z, raw, log_diag):
        lower = torch.tril(raw, -1) + torch.diag_embed(log_diag.exp())
        x = torch.linalg.solve_triangular(lower, z.T, upper=False)
        logp = -0.5 * (x**2).sum(0) - 0.5 * math.log(2 * math.pi) * z.shape[1]
        return x.T, logp - log_diag.sum()

    return inverse_flow, [((torch.randn(7, 4), torch.randn(4, 4) * 0.3, torch.randn(4) * 0.1), {})]


def trim_and_pool(tokens, length):
    kept = tokens[:, :length]
    return kept.mean(1) + kept.amax(1) * math.sqrt(length)


def make_trim_varying_length():
    x = torch.randn(2, 16, 8)
    return trim_and_pool, [((x, 9), {}), ((x, 13), {})]


def masked_pool(tokens, length):
    mask = (torch.arange(tokens.shape[1], device=tokens.device) < length)[None, :, None]
    mean = (tokens * mask).sum(1) / length
    return mean + tokens.masked_fill(~mask, float("-inf")).amax(1) * length.sqrt()


def make_trim_tensor_length():
    x = torch.randn(2, 16, 8)
    return masked_pool, [((x, torch.tensor(9.0)), {}), ((x, torch.tensor(13.0)), {})]


class StochasticDepth(nn.Module):
    def __init__(self, survive=0.8):
        super().__init__()
        self.survive = survive
        self.body = nn.Linear(8, 8)

    def forward(self, x):
        keep = torch.bernoulli(torch.tensor(self.survive))
        return x + self.body(x) * keep / self.survive


def make_stochastic_depth_host_draw():
    return StochasticDepth(), [((torch.randn(4, 8),), {}), ((torch.randn(4, 8),), {})]


class DropPath(nn.Module):
    def __init__(self, rate=0.2):
        super().__init__()
        self.rate = rate
        self.body = nn.Sequential(nn.LayerNorm(8), nn.Linear(8, 8), nn.Dropout(0.1))

    def forward(self, x):
        keep = 1 - self.rate
        mask = x.new_empty(x.shape[0], *(1,) * (x.ndim - 1)).bernoulli_(keep).div_(keep)
        return x + self.body(x) * mask


def make_drop_path_new_empty():
    return DropPath(), [((torch.randn(4, 3, 8),), {}), ((torch.randn(4, 3, 8),), {})]


def checked_log_prob(logits, actions):
    torch._assert_async(torch.isfinite(logits).all())
    logp = logits.log_softmax(-1)
    return logp.gather(-1, actions[..., None]).squeeze(-1), -(logp.exp() * logp).sum(-1)


def make_async_asserted_log_prob():
    return checked_log_prob, [((torch.randn(6, 4), torch.randint(4, (6,))), {})]
