import torch
from torch import nn
@torch.compile(mode="reduce-overhead")
def warm(x, step):
    return x * min(1.0, step / 100)


for step in range(14):
    print(warm(torch.randn(64, device="cuda"), step).sum().item())
