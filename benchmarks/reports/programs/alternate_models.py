# the discriminator gets inputs with and without a gradient
import torch
from torch import nn


class G(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(2, 4)

    def forward(self, z):
        return self.lin(z)


class D(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(4, 1)

    def forward(self, x):
        return self.lin(x)


g, d = torch.compile(G(), backend="eager"), torch.compile(D(), backend="eager")
for _ in range(3):
    d(g(torch.randn(8, 2)).detach()).mean().backward()  #! recompile input
    d(g(torch.randn(8, 2))).mean().backward()  #! recompile input
