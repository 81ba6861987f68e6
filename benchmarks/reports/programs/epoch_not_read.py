# the trainer sets the epoch on the model, nothing compiled reads it
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(4, 4)
        self.epoch = 0

    def forward(self, x):
        return self.lin(x)


net = Net()
fast = torch.compile(net, backend="eager")
for epoch in range(4):
    net.epoch = epoch
    fast(torch.randn(2, 4))
