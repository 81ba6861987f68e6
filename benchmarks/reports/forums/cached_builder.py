# a cached builder compiles one model for each width
from functools import lru_cache

import torch
from torch import nn


class Proj(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.w = nn.Parameter(torch.randn(4, width))

    def forward(self, x):
        return x @ self.w


@lru_cache(maxsize=None)
def get_model(width):
    return torch.compile(Proj(width), backend="eager")  #! recompile instance


for width in (8, 16, 8, 16):
    get_model(width)(torch.randn(2, 4))  #! recompile instance
