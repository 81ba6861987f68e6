# the cache is written in place and keeps its size; pair_of=kv_in_dictionary
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
decoder.cache["k"] = torch.zeros(1, 8, 4)
with torch.no_grad():
    for i in range(3):
        out = fast(torch.randn(1, 1, 4))
        decoder.cache["k"][:, i : i + 1] = out
