# a forward hook is put on before compiling
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(4, 4)

    def forward(self, x):
        return self.lin(x)


net = Net()
net.lin.register_forward_hook(lambda m, a, out: out * 2)
fast = torch.compile(net, backend="eager")
for _ in range(3):
    fast(torch.randn(2, 4))
