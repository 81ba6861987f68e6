# heads are appended to a list between two calls
import torch
from torch import nn


class Multi(nn.Module):
    def __init__(self):
        super().__init__()
        self.heads = nn.ModuleList([nn.Linear(4, 1)])

    def forward(self, x):
        return [head(x) for head in self.heads]


multi = Multi()
fast = torch.compile(multi, backend="eager")
x = torch.randn(2, 4)
fast(x)  #! recompile state
multi.heads.append(nn.Linear(4, 1))  #! recompile state
fast(x)  #! recompile state
