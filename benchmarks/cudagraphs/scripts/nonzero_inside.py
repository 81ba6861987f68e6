import torch
from torch import nn
@torch.compile(mode="reduce-overhead")
def positives(x):
    return x[x > 0].sum()


for _ in range(5):
    print(positives(torch.randn(64, device="cuda")).item())
