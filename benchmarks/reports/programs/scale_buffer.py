# the scale is a buffer that is filled; pair_of=scale_from_outside
import torch
from torch import nn


class Lora(nn.Module):
    def __init__(self):
        super().__init__()
        self.base = nn.Linear(4, 4)
        self.down = nn.Linear(4, 2)
        self.up = nn.Linear(2, 4)
        self.register_buffer("scale", torch.ones(()))

    def forward(self, x):
        return self.base(x) + self.up(self.down(x)) * self.scale


adapter = Lora()
model = torch.compile(adapter, backend="eager")
x = torch.randn(2, 4)
for s in (1, 2, 3):
    adapter.scale.fill_(s)
    model(x)
