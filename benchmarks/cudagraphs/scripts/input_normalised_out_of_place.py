import torch
from torch import nn
@torch.compile(mode="reduce-overhead")
def normalise(x, mean, std):
    x = x.sub(mean).div(std)
    return x.pow(2).sum(-1)


mean, std = torch.zeros(64, device="cuda"), torch.ones(64, device="cuda")
for _ in range(6):
    print(normalise(torch.randn(8, 64, device="cuda"), mean, std).mean().item())
