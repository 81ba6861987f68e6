# how many rotary frequencies are cached stands in a buffer
# thread: lucidrains/rotary-embedding-torch#38: keep the length as a plain int
# help: int | Python number | attribute | argument
import torch
from torch import nn


class Rotary(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("cached", torch.arange(16.0))
        self.register_buffer("cached_length", torch.tensor(16))

    def forward(self, x, offset=0):
        if offset + x.shape[0] <= self.cached_length.item():  #! break
            return x * self.cached[offset : offset + x.shape[0]]
        return x * torch.arange(float(x.shape[0]))


print(torch.compile(Rotary(), backend="eager")(torch.ones(4)))
