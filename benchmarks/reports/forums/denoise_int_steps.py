# a sampler hands the number of the step to the compiled part
import torch

T = 6
betas = torch.linspace(1e-4, 0.02, T)
alphas = 1 - betas
alpha_bar = alphas.cumprod(0)


@torch.compile(backend="eager")
def p_sample(x, eps, t):
    mean = (x - betas[t] / (1 - alpha_bar[t]).sqrt() * eps) / alphas[t].sqrt()
    if t > 0:
        mean = mean + betas[t].sqrt() * torch.randn_like(x)
    return mean


x = torch.randn(2, 3)
for t in reversed(range(T)):
    x = p_sample(x, torch.randn(2, 3), t)  #! recompile input
