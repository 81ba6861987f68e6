# each reader takes its own key out of the batch
import torch
from torch import nn


class Reader(nn.Module):
    def __init__(self, key):
        super().__init__()
        self.key = key

    def forward(self, batch):
        return batch[self.key] * 2  #! recompile instance


KEYS = ["user", "item", "price"]
readers = [torch.compile(Reader(k), backend="eager") for k in KEYS]  #! recompile instance
batch = {k: torch.randn(4) for k in KEYS}
features = torch.stack([r(batch) for r in readers])  #! recompile instance
print(features.shape)
