# the hidden state of a recurrent cell is None at first
import torch
from torch import nn


class Cell(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(8, 4)

    def forward(self, x, h=None):
        if h is None:
            h = torch.zeros_like(x)
        return self.fc(torch.cat([x, h], -1)).tanh()


cell = torch.compile(Cell(), backend="eager")
h = None
for t in range(3):
    h = cell(torch.randn(2, 4), h)  #! recompile input
h.sum().backward()
