# a mask is kept for the last image size and made again for another
# thread: pytorch/pytorch#121504: make it outside of the compiled forward, or without the cache on self
# help: outside | buffer | __init__ | before | drop | always
import torch
from torch import nn


class Window(nn.Module):
    def __init__(self):
        super().__init__()
        self.mask = None
        self.last_size = None

    def forward(self, v):
        h, w = v.shape[-2:]
        if self.mask is None or (h, w) != self.last_size:
            self.mask = torch.ones(h, w).tril()
            self.last_size = (h, w)
        return v * self.mask


window = torch.compile(Window(), backend="eager")
for side in (4, 4, 6, 6, 8):
    window(torch.ones(1, side, side))  #! recompile state
