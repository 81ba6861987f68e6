# the context grows by one token in each step
import torch
from torch import nn


class Lm(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(20, 8)
        self.out = nn.Linear(8, 20)

    def forward(self, ids):
        return self.out(self.emb(ids))


lm = torch.compile(Lm(), backend="eager")
ids = torch.zeros(1, 4, dtype=torch.long)
for _ in range(5):
    logits = lm(ids)  #! recompile input
    ids = torch.cat([ids, logits[:, -1:].argmax(-1)], dim=1)
