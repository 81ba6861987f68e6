# fullgraph, and the loss ignores positions by index; pair_of=fullgraph_mask_select
import torch
import torch.nn.functional as F
from torch import nn


class Tagger(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(10, 8)
        self.out = nn.Linear(8, 5)

    def forward(self, ids, tags):
        logits = self.out(self.embed(ids))
        return F.cross_entropy(logits.flatten(0, 1), tags.flatten(), ignore_index=-100)


model = torch.compile(Tagger(), fullgraph=True, backend="eager")
ids = torch.randint(0, 10, (2, 6))
tags = torch.randint(0, 5, (2, 6))
tags[:, 4:] = -100
model(ids, tags).backward()
