# a setter changes an int that forward reads
import torch
from torch import nn


class Gumbel(nn.Module):
    def __init__(self):
        super().__init__()
        self.proj = nn.Linear(4, 8)
        self.epoch = 0

    def set_epoch(self, epoch):
        self.epoch = epoch  #! recompile state

    def forward(self, x):
        tau = max(0.5, 2.0 - 0.5 * self.epoch)  #! recompile state
        return torch.softmax(self.proj(x) / tau, -1)


model = Gumbel()
compiled = torch.compile(model, backend="eager")
for epoch in range(3):
    model.set_epoch(epoch)  #! recompile state
    for _ in range(2):
        compiled(torch.randn(2, 4))
