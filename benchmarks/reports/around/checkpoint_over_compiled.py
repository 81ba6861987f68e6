# activations of compiled blocks are recomputed
import torch
from torch import nn
from torch.utils.checkpoint import checkpoint

blocks = [torch.compile(nn.Linear(4, 4), backend="aot_eager") for _ in range(2)]
x = torch.randn(2, 4, requires_grad=True)
for block in blocks:
    x = checkpoint(block, x, use_reentrant=False)
x.sum().backward()
