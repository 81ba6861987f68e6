# blocks are compiled into their places, and the second gets what needs a gradient
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = nn.ModuleList(nn.Linear(4, 4) for _ in range(2))

    def forward(self, x):
        for block in self.blocks:
            x = block(x)  #! recompile input
        return x


net = Net()
for i, block in enumerate(net.blocks):
    net.blocks[i] = torch.compile(block, backend="eager")
net(torch.ones(1, 4))
