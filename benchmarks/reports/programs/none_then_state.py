# a recurrent state is None in the first step
import torch
from torch import nn


class Cell(nn.Module):
    def __init__(self):
        super().__init__()
        self.i = nn.Linear(3, 6)
        self.h = nn.Linear(6, 6)

    def forward(self, x, state=None):
        y = self.i(x)
        if state is not None:
            y = y + self.h(state)
        return torch.tanh(y)


cell = torch.compile(Cell(), backend="eager")
state = None
for t in range(4):
    state = cell(torch.randn(2, 3), state)  #! recompile input
