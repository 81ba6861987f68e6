# a pipeline's method calls the compiled model with two lengths
import torch
from torch import nn


class Decoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(8, 8)

    def forward(self, h):
        return self.lin(h)


class Pipeline:
    def __init__(self):
        self.decoder = torch.compile(Decoder(), backend="eager")

    def prompt(self, n):
        return self.decoder(torch.randn(1, n, 8))  #! recompile input

    def step(self):
        return self.decoder(torch.randn(1, 1, 8))  #! recompile input


pipe = Pipeline()
pipe.prompt(12)
for _ in range(3):
    pipe.step()
