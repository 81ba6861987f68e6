# finished beams leave the batch
import torch
from torch import nn


class Scorer(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(8, 4)
        self.out = nn.Linear(4, 8)

    def forward(self, tok):
        return self.out(self.emb(tok))


scorer = torch.compile(Scorer(), backend="eager")
beams = list(range(4))
with torch.no_grad():
    while beams:
        tok = torch.tensor(beams)
        logits = scorer(tok)  #! recompile input
        beams = beams[:-1]
