# the temperature is a tensor; pair_of=temperature_cools
import torch
from torch import nn


class Sampler(nn.Module):
    def __init__(self):
        super().__init__()
        self.head = nn.Linear(4, 10)

    def forward(self, h, temperature):
        return (self.head(h) / temperature).softmax(-1)


sampler = torch.compile(Sampler(), backend="eager")
h = torch.randn(2, 4)
temperature = torch.tensor(1.0)
for _ in range(4):
    probabilities = sampler(h, temperature)
    temperature = temperature * 0.5
