import torch
from torch import nn
@torch.compile(mode="reduce-overhead")
def attend(q, k):
    return torch.softmax(q @ k.transpose(-1, -2), -1) @ k


for n in range(4, 16):
    k = torch.randn(1, n, 64, device="cuda")
    print(attend(k, k).mean().item())
