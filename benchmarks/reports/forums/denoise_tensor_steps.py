# a sampler hands the step as a tensor; pair_of=denoise_int_steps
import torch

T = 6
betas = torch.linspace(1e-4, 0.02, T)
alphas = 1 - betas
alpha_bar = alphas.cumprod(0)


@torch.compile(backend="eager")
def p_sample(x, eps, t):
    mean = (x - betas[t][:, None] / (1 - alpha_bar[t]).sqrt()[:, None] * eps) / alphas[t].sqrt()[:, None]
    noise = torch.randn_like(x)
    return mean + (t > 0).float()[:, None] * betas[t].sqrt()[:, None] * noise


x = torch.randn(2, 3)
for i in reversed(range(T)):
    t = torch.full((x.shape[0],), i, dtype=torch.long)
    x = p_sample(x, torch.randn(2, 3), t)
