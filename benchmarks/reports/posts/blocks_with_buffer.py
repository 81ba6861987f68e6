# the factor of a block is a buffer; pair_of=blocks_with_index
import torch
from torch import nn


class Block(nn.Module):
    def __init__(self, index):
        super().__init__()
        self.register_buffer("factor", torch.tensor(1.0 / (index + 1)))
        self.fc = nn.Linear(4, 4)

    def forward(self, x):
        return x + self.fc(x) * self.factor


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = nn.ModuleList([Block(i) for i in range(3)])
        for block in self.blocks:
            block.compile(backend="eager")

    def forward(self, x):
        for block in self.blocks:
            x = block(x)
        return x


Net()(torch.randn(2, 4, requires_grad=True)).sum().backward()
