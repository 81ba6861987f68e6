# every block reads its own number
import torch
from torch import nn


class Block(nn.Module):
    def __init__(self, index):
        super().__init__()
        self.index = index
        self.fc = nn.Linear(4, 4)

    def forward(self, x):
        return x + self.fc(x) / (self.index + 1)  #! recompile instance


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = nn.ModuleList([Block(i) for i in range(3)])
        for block in self.blocks:
            block.compile(backend="eager")  #! recompile instance

    def forward(self, x):
        for block in self.blocks:
            x = block(x)  #! recompile instance
        return x


Net()(torch.randn(2, 4)).sum().backward()
