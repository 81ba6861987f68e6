# a list of feature maps has one level more in the second call
import torch


@torch.compile(backend="eager")
def fuse(levels):
    out = 0
    for level in levels:
        out = out + level.mean()
    return out


maps = [torch.randn(1, 4, s, s) for s in (8, 4, 2)]
fuse(maps[:2])  #! recompile input
fuse(maps)  #! recompile input
