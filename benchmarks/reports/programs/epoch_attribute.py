# the trainer sets the epoch on the model, which tests it
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(4, 4)
        self.epoch = 0

    def set_epoch(self, epoch):
        self.epoch = epoch

    def forward(self, x):
        if self.epoch > 1:
            x = x * 0.5
        return self.lin(x)


net = Net()
fast = torch.compile(net, backend="eager")
for epoch in range(4):
    net.set_epoch(epoch)  #! recompile state
    fast(torch.randn(2, 4))  #! recompile state
