# handlers are looked up by the type of the model
import torch
from torch import nn


class Gan(nn.Module):
    def __init__(self):
        super().__init__()
        self.g = nn.Linear(2, 4)

    def forward(self, z):
        return self.g(z)


class Vae(nn.Module):
    def __init__(self):
        super().__init__()
        self.d = nn.Linear(2, 4)

    def forward(self, z):
        return self.d(z)


SAMPLERS = {Gan: lambda m, n: m(torch.randn(n, 2)), Vae: lambda m, n: m(torch.zeros(n, 2))}
model = torch.compile(Gan(), backend="eager")
samples = SAMPLERS[type(model)](model, 3)  #! error
