import torch
from torch import nn
@torch.compile(mode="reduce-overhead")
def rescale(x):
    s = x.abs().max().item()
    return x / s


for _ in range(5):
    print(rescale(torch.randn(64, device="cuda")).sum().item())
