# what is changed in the config is not read in the model
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
for name in ("a", "b", "c"):
    cfg.name = name
    router(x)
