# the flag of a configuration that the model keeps is turned
from types import SimpleNamespace

import torch
from torch import nn


class Net(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.cfg = cfg
        self.lin = nn.Linear(4, 4)

    def forward(self, x):
        y = self.lin(x)
        if self.cfg.normalize:
            y = y / y.norm()
        return y


class Config:
    def __init__(self):
        self.normalize = False


cfg = Config()
net = torch.compile(Net(cfg), backend="eager")
x = torch.randn(2, 4)
net(x)  #! recompile state
cfg.normalize = True  #! recompile state
net(x)  #! recompile state
