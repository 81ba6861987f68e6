# only the generate method of the compiled model is called
import torch
from torch import nn


class LM(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(8, 4)
        self.out = nn.Linear(4, 8)

    def forward(self, ids):
        return self.out(self.embed(ids).mean(1))

    @torch.no_grad()
    def generate(self, ids, n):
        for _ in range(n):
            ids = torch.cat([ids[:, 1:], self(ids).argmax(-1, keepdim=True)], 1)
        return ids


model = torch.compile(LM(), backend="eager")  #! slow
model.generate(torch.zeros(1, 4, dtype=torch.long), 3)  #! slow
