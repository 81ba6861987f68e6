# requests of different lengths, padded to one; pair_of=requests_of_dataclass
from dataclasses import dataclass

import torch
from torch import nn


@dataclass
class Request:
    prompt: str
    length: int


class Ranker(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(100, 8)
        self.out = nn.Linear(8, 1)

    def forward(self, ids):
        return self.out(self.emb(ids).mean(1))


def encode(request, width=16):
    ids = torch.zeros(1, width, dtype=torch.long)
    ids[:, : request.length] = 1
    return ids


ranker = torch.compile(Ranker(), backend="eager")
queue = [Request("a", 5), Request("b", 5), Request("c", 12)]
with torch.no_grad():
    for request in queue:
        score = ranker(encode(request))
