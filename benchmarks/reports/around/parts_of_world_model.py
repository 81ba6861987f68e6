# of a compiled model only the parts are called
import torch
from torch import nn


class World(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = nn.Linear(4, 2)
        self.dynamics = nn.Linear(2, 2)

    def forward(self, x):
        return self.dynamics(self.encoder(x))


class Agent:
    def __init__(self):
        self.world = torch.compile(World(), backend="eager")  #! slow

    def imagine(self, x, steps):
        z = self.world.encoder(x)
        for _ in range(steps):
            z = self.world.dynamics(z)
        return z


Agent().imagine(torch.ones(1, 4), 3)
