import torch
from torch import nn


class Beam(nn.Module):
    def __init__(self, vocab: int = 7) -> None:
        super().__init__()
        self.out = nn.Linear(5, vocab)
        self.vocab = vocab

    def forward(self, h, scores):
        logp = self.out(h).log_softmax(-1) + scores.unsqueeze(-1)
        best, index = logp.flatten().topk(2)
        rows = []
        for i in index:
            rows.append(h[int(i) // self.vocab])
        return torch.stack(rows), best, index % self.vocab


def build():
    return Beam()


def sample():
    return torch.randn(2, 5), torch.zeros(2)
