# padded to one length; pair_of=generator_of_lengths
import torch
import torch.nn.functional as F
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
        yield F.pad(torch.randint(0, 100, (2, n)), (0, 8 - n))


tagger = torch.compile(Tagger(), backend="eager")
for ids in batches():
    scores = tagger(ids)
