# the dimension that is marked is free; pair_of=marked_and_fixed
import torch
from torch import nn


class Patches(nn.Module):
    def __init__(self):
        super().__init__()
        self.pos = nn.Parameter(torch.zeros(16, 8))

    def forward(self, x):
        return x + self.pos


net = torch.compile(Patches(), backend="eager")
for n in (2, 3):
    x = torch.randn(n, 16, 8)
    torch._dynamo.mark_dynamic(x, 0)
    net(x)
