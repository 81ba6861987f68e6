# the configuration has one size, written in two places
import torch
from torch import nn

CONFIG = {"batch": 8, "dim": 4}


class Net(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.lin = nn.Linear(dim, dim)

    def forward(self, x):
        return self.lin(x)


def batch(cfg):
    return torch.randn(cfg["batch"], cfg["dim"])


net = torch.compile(Net(CONFIG["dim"]), backend="eager")
for _ in range(3):
    net(batch(CONFIG))
net(torch.zeros(8, 4))
