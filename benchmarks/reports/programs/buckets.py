# lengths are padded to buckets, one graph a bucket
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(50, 8)

    def forward(self, ids):
        return self.emb(ids).sum(1)


BUCKETS = (16, 32, 64)
net = torch.compile(Net(), backend="eager", dynamic=False)


def encode(n):
    size = next(b for b in BUCKETS if b >= n)
    return net(torch.zeros(2, size, dtype=torch.long))  #! recompile input


for n in (10, 20, 40):
    encode(n)
