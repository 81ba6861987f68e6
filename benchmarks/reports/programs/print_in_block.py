# a print of the shape in a block of a compiled model
import torch
from torch import nn


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(4, 4)

    def forward(self, x):
        print("block", x.mean())  #! break
        return self.lin(x)


model = torch.compile(nn.Sequential(Block(), Block()), backend="eager")
model(torch.randn(2, 4))
