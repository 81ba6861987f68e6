# blocks are compiled into the variable of the loop
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = nn.ModuleList(nn.Linear(4, 4) for _ in range(2))

    def forward(self, x):
        for block in self.blocks:
            x = block(x)
        return x


net = Net()
for block in net.blocks:
    block = torch.compile(block, backend="eager")  #! slow
net(torch.ones(1, 4))
