"""Diffusion schedulers, sampler steps, guidance and timestep embeddings."""

import math
from dataclasses import dataclass, field

import torch
import torch.nn as nn
import torch.nn.functional as F


class DDIMScheduler:
    def __init__(self, steps=100):
        self.betas = torch.linspace(1e-4, 0.02, steps)
        self.alphas_cumprod = torch.cumprod(1 - self.betas, dim=0)
        self.final = torch.tensor(1.0)

    def step(self, eps, t, sample):
        a_t = self.alphas_cumprod[t]
        a_prev = self.alphas_cumprod[t - 10] if t >= 10 else self.final
        x0 = (sample - (1 - a_t) ** 0.5 * eps) / a_t**0.5
        return a_prev**0.5 * x0 + (1 - a_prev) ** 0.5 * eps


def make_ddim_int_timestep():
    eps, x = torch.randn(1, 4, 8, 8), torch.randn(1, 4, 8, 8)
    return DDIMScheduler().step, [((eps, 50, x), {}), ((eps, 40, x), {})]


class DDIMModule(nn.Module):
    def __init__(self, steps=100, stride=10):
        super().__init__()
        acp = torch.cumprod(1 - torch.linspace(1e-4, 0.02, steps), 0)
        self.register_buffer("acp", torch.cat([torch.ones(1), acp]))
        self.stride = stride

    def gather(self, t):
        return self.acp.gather(0, t).view(-1, 1, 1, 1)

    def forward(self, eps, t, sample):
        now, prev = self.gather(t + 1), self.gather((t + 1 - self.stride).clamp(min=0))
        x0 = (sample - (1 - now).sqrt() * eps) * now.rsqrt()
        return prev.sqrt() * x0 + (1 - prev).sqrt() * eps


def make_ddim_gather():
    x = torch.randn(2, 4, 8, 8)
    return DDIMModule(), [((x * 0.5, torch.tensor([50, 12]), x), {}), ((x * 0.5, torch.tensor([40, 2]), x), {})]


@dataclass
class KarrasSchedule:
    sigma_min: float = 0.03
    sigma_max: float = 14.6
    n: int = 10
    rho: float = 7.0
    sigmas: list = field(default_factory=list)

    def __post_init__(self):
        lo, hi = self.sigma_min ** (1 / self.rho), self.sigma_max ** (1 / self.rho)
        self.sigmas = [(hi + i / (self.n - 1) * (lo - hi)) ** self.rho for i in range(self.n)] + [0.0]


def make_euler_float_sigmas():
    sched = KarrasSchedule()

    def euler(x, denoised, i):
        s, s_next = sched.sigmas[i], sched.sigmas[i + 1]
        return x + (x - denoised) / s * (s_next - s)

    x = torch.randn(1, 4, 8, 8)
    return euler, [((x, x * 0.9, 0), {}), ((x, x * 0.9, 1), {})]


class EulerStep(nn.Module):
    def __init__(self, n=10):
        super().__init__()
        self.register_buffer("sigmas", torch.linspace(14.0, 0.0, n + 1))

    def forward(self, x, denoised, index):
        pair = torch.index_select(self.sigmas, 0, torch.stack([index, index + 1]))
        d = (x - denoised) / pair[0]
        return torch.addcmul(x, d, pair[1] - pair[0])


def make_euler_index_tensor():
    x = torch.randn(1, 4, 8, 8)
    return EulerStep(), [((x, x * 0.9, torch.tensor(0)), {}), ((x, x * 0.9, torch.tensor(1)), {})]


class NoiseAdder:
    def __init__(self):
        self.alphas_cumprod = torch.cumprod(1 - torch.linspace(1e-4, 0.02, 100), 0)

    def add_noise(self, original, noise, timesteps):
        acp = self.alphas_cumprod.to(device=original.device, dtype=original.dtype)
        a = acp[timesteps].sqrt().flatten()
        b = (1 - acp[timesteps]).sqrt().flatten()
        while a.dim() < original.dim():
            a, b = a.unsqueeze(-1), b.unsqueeze(-1)
        return a * original + b * noise


def make_add_noise_table():
    return NoiseAdder().add_noise, [((torch.randn(2, 3, 8, 8), torch.randn(2, 3, 8, 8), torch.tensor([3, 70])), {})]


class TimestepEmbedder(nn.Module):
    def __init__(self, hidden=32, freq_dim=16):
        super().__init__()
        self.freq_dim = freq_dim
        self.mlp = nn.Sequential(nn.Linear(freq_dim, hidden), nn.SiLU(), nn.Linear(hidden, hidden))

    @staticmethod
    def timestep_embedding(t, dim, max_period=10000):
        half = dim // 2
        freqs = torch.exp(-math.log(max_period) * torch.arange(half, dtype=torch.float32) / half).to(device=t.device)
        args = t[:, None].float() * freqs[None]
        return torch.cat([torch.cos(args), torch.sin(args)], dim=-1)

    def forward(self, t):
        return self.mlp(self.timestep_embedding(t, self.freq_dim))


def make_dit_timestep_embedder():
    return TimestepEmbedder(), [((torch.tensor([1, 500, 999]),), {})]


class FourierTime(nn.Module):
    def __init__(self, n=8, scale=16.0):
        super().__init__()
        self.W = torch.randn(n) * scale
        self.act = nn.Sequential(nn.Linear(2 * n, 16), nn.SiLU())

    def forward(self, t):
        proj = t[:, None] * self.W.to(t)[None, :] * 2 * math.pi
        return self.act(torch.cat([proj.sin(), proj.cos()], -1))


def make_fourier_time_weights():
    return FourierTime(), [((torch.rand(4),), {})]


class PromptStage(nn.Module):
    def __init__(self, prompts=3, dim=16):
        super().__init__()
        self.embeds = torch.randn(prompts, 5, dim).pin_memory()
        self.to_kv = nn.Linear(dim, 8)

    def forward(self, x):
        ctx = self.embeds.to("cuda", non_blocking=True)[: x.shape[0]]
        kv = self.to_kv(ctx)
        return x + F.scaled_dot_product_attention(x, kv, kv)


def make_pinned_prompt_embeddings():
    return PromptStage(), [((torch.randn(2, 6, 8),), {})]


class GuidedDenoiser(nn.Module):
    def __init__(self, cfg_scale=4.0, rescale=0.7):
        super().__init__()
        self.cfg_scale, self.rescale = cfg_scale, rescale
        self.net = nn.Conv2d(4, 4, 3, padding=1)

    def forward(self, x):
        uncond, cond = self.net(torch.cat([x, x.flip(0)])).chunk(2)
        out = torch.lerp(uncond, cond, self.cfg_scale)
        dims = tuple(range(1, x.ndim))
        rescaled = out * (cond.std(dims, keepdim=True) / out.std(dims, keepdim=True))
        return self.rescale * rescaled + (1 - self.rescale) * out


def make_guided_denoiser():
    return GuidedDenoiser(), [((torch.randn(2, 4, 8, 8),), {})]


def threshold_sample(x0, ratio=0.995, max_value=1.5):
    s = torch.quantile(x0.abs().flatten(1).float(), ratio, dim=1).max().item()
    s = min(max(s, 1.0), max_value)
    return x0.clamp(-s, s) / s


def make_threshold_host_bound():
    return threshold_sample, [((torch.randn(2, 3, 8, 8) * 2,), {})]


def make_threshold_per_sample():
    def threshold(x0, keep=4):
        mags = x0.abs().flatten(1).topk(keep, dim=1).values[:, -1]
        s = mags.clamp(1.0, 1.5).view(-1, *[1] * (x0.ndim - 1))
        return torch.minimum(torch.maximum(x0, -s), s) / s

    return threshold, [((torch.randn(2, 3, 8, 8) * 2,), {})]


def randn_tensor(shape, generator, device, dtype):
    return torch.randn(shape, generator=generator, device="cpu", dtype=dtype).to(device)


def make_ddpm_seeded_noise():
    gen = torch.Generator().manual_seed(7)

    def step(x, eps, coeffs):
        mean = (x - coeffs[0] * eps) * coeffs[1]
        return mean + coeffs[2] * randn_tensor(x.shape, gen, x.device, x.dtype)

    return step, [((torch.randn(1, 3, 8, 8), torch.randn(1, 3, 8, 8), torch.tensor([0.1, 1.01, 0.2])), {})]


class AncestralSampler(nn.Module):
    def __init__(self, eta=1.0):
        super().__init__()
        self.eta = eta
        self.denoise = nn.Sequential(nn.Conv2d(3, 8, 3, padding=1), nn.SiLU(), nn.Conv2d(8, 3, 3, padding=1))

    def forward(self, x, sigma, sigma_next):
        up = torch.minimum(sigma_next, self.eta * (sigma_next**2 * (sigma**2 - sigma_next**2) / sigma**2).sqrt())
        down = (sigma_next**2 - up**2).clamp_min(0).sqrt()
        d = (x - self.denoise(x)) / sigma
        return x + d * (down - sigma) + torch.randn_like(x) * up


def make_ancestral_sampler():
    return AncestralSampler(), [((torch.randn(1, 3, 8, 8), torch.tensor(2.0), torch.tensor(1.5)), {})]


class DPMSolverMultistep(nn.Module):
    def __init__(self):
        super().__init__()
        self.model = nn.Conv2d(4, 4, 1)
        self.model_outputs = [None, None]

    def forward(self, x, h):
        self.model_outputs = [self.model_outputs[1], self.model(x)]
        older, newer = self.model_outputs
        d = newer if older is None else newer + 0.5 * (newer - older)
        return torch.exp(-h) * x - torch.expm1(-h) * d


def make_multistep_outputs_list():
    x, h = torch.randn(1, 4, 8, 8), torch.tensor(0.2)
    return DPMSolverMultistep(), [((x, h), {}), ((x * 0.8, h), {})]


class FlowMatchingStep(nn.Module):
    def __init__(self):
        super().__init__()
        self.model = nn.Conv2d(4, 4, 1)

    def forward(self, state):
        x, prev, dt = state["x"], state["prev"], state["dt"]
        v = self.model(x)
        return {"x": x + dt * (1.5 * v - 0.5 * prev), "prev": v, "dt": dt}


def make_flow_state_dict():
    state = {"x": torch.randn(1, 4, 8, 8), "prev": torch.zeros(1, 4, 8, 8), "dt": torch.tensor(0.1)}
    return FlowMatchingStep(), [((state,), {})]


def repaint(latents, known, mask, noise_level):
    keep = mask.expand_as(latents)
    noisy = known + noise_level * torch.randn_like(known)
    latents = latents.clone()
    latents[keep] = noisy[keep]
    return latents


def make_repaint_indexed():
    mask = torch.rand(1, 1, 8, 8) > 0.5
    return repaint, [((torch.randn(1, 4, 8, 8), torch.randn(1, 4, 8, 8), mask, torch.tensor(0.3)), {})]


class InpaintBlend(nn.Module):
    def __init__(self, feather=3):
        super().__init__()
        self.feather = feather

    def soften(self, mask):
        return F.avg_pool2d(mask.float(), self.feather, stride=1, padding=self.feather // 2)

    def forward(self, latents, known, mask):
        blend = torch.lerp(latents, known, self.soften(mask))
        return torch.where(mask, known, blend)


def make_inpaint_blend():
    return InpaintBlend(), [((torch.randn(1, 4, 8, 8), torch.randn(1, 4, 8, 8), torch.rand(1, 1, 8, 8) > 0.5), {})]
