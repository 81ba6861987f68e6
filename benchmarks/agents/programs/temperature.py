import torch
from torch import nn


class Sampler(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.lm = nn.Linear(8, 12)

    def forward(self, h, temperature):
        logits = self.lm(h)
        t = temperature.item()
        if t == 0:
            return torch.nn.functional.one_hot(logits.argmax(-1), 12).to(h.dtype)
        return (logits / t).softmax(-1)


def build():
    return Sampler()


def sample():
    return torch.randn(3, 8), torch.tensor(0.7)
