# a generator yields batches of several lengths
import torch
from torch import nn


class Tagger(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(100, 16)
        self.out = nn.Linear(16, 4)

    def forward(self, ids):
        return self.out(self.emb(ids))


def batches():
    for n in (3, 5, 7):
        yield torch.randint(0, 100, (2, n))


tagger = torch.compile(Tagger(), backend="eager")
for ids in batches():
    scores = tagger(ids)  #! recompile input
