# an attribute of a config that the model holds is changed
from types import SimpleNamespace

import torch
from torch import nn


class Config:
    def __init__(self):
        self.topk = 2
        self.name = "a"


class Router(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.cfg = cfg
        self.lin = nn.Linear(4, 6)

    def forward(self, x):
        return self.lin(x).topk(self.cfg.topk).values


cfg = Config()
router = torch.compile(Router(cfg), backend="eager")
x = torch.randn(3, 4)
for k in (2, 3, 4):
    cfg.topk = k  #! recompile state
    router(x)  #! recompile state
