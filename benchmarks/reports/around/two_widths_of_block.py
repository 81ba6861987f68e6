# blocks of two widths are compiled one by one
import torch
from torch import nn


class Block(nn.Module):
    def __init__(self, width, gate):
        super().__init__()
        self.lin = nn.Linear(width, width)
        self.gate = gate

    def forward(self, x):
        y = self.lin(x)
        return x + y.sigmoid() if self.gate else x + y


blocks = [Block(4, i % 2 == 0) for i in range(4)]
for block in blocks:
    block.compile(backend="eager")  #! recompile instance
x = torch.randn(2, 4)
for block in blocks:
    x = block(x)  #! recompile instance
