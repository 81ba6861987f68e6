# the number of blocks in use grows with training
import torch
from torch import nn


class Stack(nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = nn.ModuleList(nn.Linear(4, 4) for _ in range(3))
        self.depth = 1

    def forward(self, x):
        for block in self.blocks[: self.depth]:
            x = block(x).relu()
        return x


class Trainer:
    def __init__(self):
        self.net = Stack()
        self.fast = torch.compile(self.net, backend="eager")

    def fit(self):
        for epoch in range(3):
            self.net.depth = epoch + 1  #! recompile state
            self.fast(torch.randn(2, 4)).mean().backward()  #! recompile state


Trainer().fit()
