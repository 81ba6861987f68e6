# the forward of a class is compiled, instances have other flags
import torch
from torch import nn


class Block(nn.Module):
    def __init__(self, skip):
        super().__init__()
        self.skip = skip
        self.lin = nn.Linear(4, 4)

    def forward(self, x):
        y = self.lin(x)
        return x + y if self.skip else y


Block.forward = torch.compile(Block.forward, backend="eager")  #! recompile instance
a, b = Block(True), Block(False)
x = torch.randn(2, 4)
a(x)  #! recompile instance
b(x)  #! recompile instance
