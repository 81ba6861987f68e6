# the key is looked up outside of compiled code; pair_of=keyed_readers
import torch
from torch import nn


class Reader(nn.Module):
    def __init__(self, key):
        super().__init__()
        self.key = key
        self.proj = nn.Linear(4, 2)

    def forward(self, x):
        return self.proj(x) * 2


KEYS = ["user", "item", "price"]
readers = [torch.compile(Reader(k), backend="eager") for k in KEYS]
batch = {k: torch.randn(4) for k in KEYS}
features = torch.stack([r(batch[k]) for k, r in zip(KEYS, readers)])
print(features.shape)
