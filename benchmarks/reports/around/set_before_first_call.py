# attributes are set once, before the first call
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = 1.0
        self.lin = nn.Linear(4, 4)

    def forward(self, x):
        return self.lin(x) * self.scale


net = Net()
fast = torch.compile(net, backend="eager")
net.scale = 0.5
net.eval()
for _ in range(3):
    fast(torch.randn(2, 4))
