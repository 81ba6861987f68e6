import torch
from torch import nn
@torch.compile(mode="reduce-overhead")
def sharpen(logits, temperature):
    return (logits / temperature).softmax(-1)


for step in range(10):
    p = sharpen(torch.randn(8, 100, device="cuda"), torch.full((), 1.0 + 0.1 * step, device="cuda"))
    print(p.max().item())
