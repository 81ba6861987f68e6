import torch
from torch import nn
@torch.compile(mode="reduce-overhead")
def f(x):
    y = x.relu()
    print("shape", y.shape)
    return y * 2


for _ in range(5):
    f(torch.randn(64, device="cuda"))
