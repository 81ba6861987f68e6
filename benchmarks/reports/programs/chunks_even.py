# chunks that divide the whole
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(10, 4)

    def forward(self, ids):
        return self.emb(ids).sum()


net = torch.compile(Net(), backend="eager")
text = torch.zeros(64, dtype=torch.long)
for start in range(0, 64, 32):
    net(text[start : start + 32])
for part in text.chunk(2):
    net(part)
