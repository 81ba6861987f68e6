# the list of feature maps has two or three members
import torch
from torch import nn


class Fuse(nn.Module):
    def forward(self, maps):
        out = maps[0]
        for one in maps[1:]:
            out = out + one
        return out


fuse = torch.compile(Fuse(), backend="eager")
maps = [torch.randn(2, 4) for _ in range(3)]
fuse(maps)  #! recompile input
fuse(maps[:2])  #! recompile input
