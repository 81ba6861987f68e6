# the dimension that is marked meets a constant
import torch
from torch import nn


class Patches(nn.Module):
    def __init__(self):
        super().__init__()
        self.pos = nn.Parameter(torch.zeros(16, 8))

    def forward(self, x):
        return x + self.pos


net = torch.compile(Patches(), backend="eager")
x = torch.randn(2, 16, 8)
torch._dynamo.mark_dynamic(x, 1)  #! error
net(x)  #! error
