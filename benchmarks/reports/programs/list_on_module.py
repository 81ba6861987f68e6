# the loop appends to a list that forward goes over
import torch
from torch import nn


class Ensemble(nn.Module):
    def __init__(self):
        super().__init__()
        self.offsets = []
        self.lin = nn.Linear(4, 4)

    def forward(self, x):
        y = self.lin(x)
        for o in self.offsets:
            y = y + o
        return y


net = Ensemble()
fast = torch.compile(net, backend="eager")
x = torch.randn(2, 4)
for k in range(3):
    net.offsets.append(torch.full((4,), float(k)))  #! recompile state
    fast(x)  #! recompile state
