# one wrapper class is compiled around several modules
import torch
from torch import nn


class Timed(nn.Module):
    def __init__(self, inner):
        super().__init__()
        self.inner = inner

    def forward(self, *args):
        return self.inner(*args)


parts = [Timed(nn.Linear(4, 4)), Timed(nn.Conv1d(4, 4, 1)), Timed(nn.LayerNorm(4))]
compiled = [torch.compile(p, backend="eager") for p in parts]  #! recompile instance
compiled[0](torch.randn(2, 4))  #! recompile instance
compiled[1](torch.randn(2, 4, 4))  #! recompile instance
compiled[2](torch.randn(2, 4))  #! recompile instance
