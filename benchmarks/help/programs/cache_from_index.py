# a cache is written from an index that is a tensor
# thread: google-research/timesfm#459: the slice cannot be traced: write by index_copy_ or scatter with positions
# help: index_copy | scatter | arange | positions | index_put | mask
import torch
from torch import nn


class Cache(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("key", torch.zeros(2, 8, 4))

    def forward(self, key, next_index):
        start = next_index[0]
        end = start + key.shape[1]
        self.key[:, start:end] = key  #! break
        return self.key.sum()


cache = torch.compile(Cache(), backend="eager")
print(cache(torch.ones(2, 3, 4), torch.tensor([2])))
