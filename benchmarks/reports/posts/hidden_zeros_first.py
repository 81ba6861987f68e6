# the hidden state is zeros that ask for a gradient at first; pair_of=hidden_none_then_tensor
import torch
from torch import nn


class Cell(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(8, 4)

    def forward(self, x, h):
        return self.fc(torch.cat([x, h], -1)).tanh()


cell = torch.compile(Cell(), backend="eager")
h = torch.zeros(2, 4, requires_grad=True)
for t in range(3):
    h = cell(torch.randn(2, 4), h)
h.sum().backward()
