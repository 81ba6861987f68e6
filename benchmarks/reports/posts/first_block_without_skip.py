# one block of several has no skip
import torch
from torch import nn


class Block(nn.Module):
    def __init__(self, skip):
        super().__init__()
        self.skip = skip
        self.fc = nn.Linear(4, 4)

    def forward(self, x):
        y = self.fc(x)
        return x + y if self.skip else y  #! recompile instance


blocks = [Block(i > 0) for i in range(3)]
for block in blocks:
    block.forward = torch.compile(block.forward, backend="eager")  #! recompile instance
x = torch.randn(2, 4, requires_grad=True)
for block in blocks:
    x = block(x)  #! recompile instance
