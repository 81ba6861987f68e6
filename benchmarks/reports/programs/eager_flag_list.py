# a list of flags is stored once before
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self, use_bias):
        super().__init__()
        self.use_bias = use_bias
        self.w = nn.Parameter(torch.randn(4, 4))
        self.b = nn.Parameter(torch.randn(4))

    def forward(self, x):
        y = x @ self.w
        return y + self.b if self.use_bias else y


net = Net(True)
net.use_bias = False
fast = torch.compile(net, backend="eager")
for _ in range(3):
    fast(torch.randn(2, 4))
