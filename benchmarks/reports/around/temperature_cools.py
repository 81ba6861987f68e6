# the temperature is an argument that falls step by step
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
temperature = 1.0
for _ in range(4):
    probabilities = sampler(h, temperature)  #! recompile input
    temperature *= 0.5
