# blocks of one width are compiled one by one; pair_of=two_widths_of_block
import torch
from torch import nn


class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.lin = nn.Linear(width, width)

    def forward(self, x):
        return x + self.lin(x)


blocks = [Block(4) for i in range(4)]
for block in blocks:
    block.compile(backend="eager")
x = torch.randn(2, 4)
with torch.no_grad():
    for block in blocks:
        x = block(x)
