# a loop anneals an attribute that forward reads
import torch
from torch import nn


class Gumbel(nn.Module):
    def __init__(self):
        super().__init__()
        self.tau = 1.0
        self.proj = nn.Linear(4, 4)

    def forward(self, x):
        return (self.proj(x) / self.tau).softmax(-1)


gumbel = Gumbel()
fast = torch.compile(gumbel, backend="eager")
x = torch.randn(2, 4)
for epoch in range(4):
    gumbel.tau = max(0.1, 1.0 - 0.2 * epoch)  #! recompile state
    fast(x).sum().backward()  #! recompile state
