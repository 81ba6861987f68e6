# generate of a compiled module calls the plain module
import torch
from torch import nn


class Lm(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(10, 10)

    def forward(self, ids):
        return self.emb(ids)

    @torch.no_grad()
    def generate(self, ids, n):
        for _ in range(n):
            ids = torch.cat([ids, self(ids)[:, -1:].argmax(-1)], 1)[:, 1:]
        return ids


lm = torch.compile(Lm(), backend="eager")
lm.generate(torch.zeros(1, 4, dtype=torch.long), 3)  #! slow
