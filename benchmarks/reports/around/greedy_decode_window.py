# decoding calls the model on the last eight tokens, of which the first is no inference tensor
import torch
from torch import nn


class Lm(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(20, 8)
        self.out = nn.Linear(8, 20)

    def forward(self, ids):
        return self.out(self.emb(ids).cumsum(1))


@torch.inference_mode()
def decode(model, ids, steps):
    for _ in range(steps):
        logits = model(ids[:, -8:])  #! recompile input
        ids = torch.cat([ids, logits[:, -1].argmax(-1, keepdim=True)], dim=1)
    return ids


lm = torch.compile(Lm(), backend="eager")
decode(lm, torch.zeros(1, 8, dtype=torch.long), 4)
