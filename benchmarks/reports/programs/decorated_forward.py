# forward is decorated, widths differ
import torch
from torch import nn


class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.lin = nn.Linear(width, width * 2)

    @torch.compile(backend="eager")  #! recompile instance
    def forward(self, x):
        return self.lin(x).relu()


net = nn.Sequential(Block(4), Block(8), Block(16))
net(torch.randn(2, 4))  #! recompile instance
