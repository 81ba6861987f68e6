import torch
from torch import nn
@torch.compile(mode="reduce-overhead")
def sharpen(logits, temperature):
    return (logits / temperature).softmax(-1)


for step in range(10):
    p = sharpen(torch.randn(8, 100, device="cuda"), 1.0 + 0.1 * step)
    print(p.max().item())
