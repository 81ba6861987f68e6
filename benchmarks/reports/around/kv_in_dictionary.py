# the cache is a dictionary that grows outside of compiled code
import torch
from torch import nn


class Decoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.proj = nn.Linear(4, 4)
        self.cache = {}

    def forward(self, x):
        keys = self.cache["k"]
        return (self.proj(x) @ keys.transpose(-1, -2)).softmax(-1) @ keys


decoder = Decoder()
fast = torch.compile(decoder, backend="eager")
decoder.cache["k"] = torch.randn(1, 2, 4)
for _ in range(3):
    out = fast(torch.randn(1, 1, 4))  #! recompile state
    decoder.cache["k"] = torch.cat([decoder.cache["k"], out], dim=1)  #! recompile state
