# sliding windows, the last one is short
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(10, 4)

    def forward(self, ids):
        return self.emb(ids).sum()


net = torch.compile(Net(), backend="eager")
text = torch.zeros(70, dtype=torch.long)
for start in range(0, 70, 32):
    net(text[start : start + 32])  #! recompile input
