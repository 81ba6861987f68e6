# the model is compiled, only its encoder is called
import torch
from torch import nn


class World(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = nn.Linear(4, 8)
        self.dynamics = nn.Linear(8, 8)

    def forward(self, x):
        return self.dynamics(self.encoder(x))


world = torch.compile(World(), backend="eager")  #! slow
x = torch.randn(2, 4)
for _ in range(3):
    z = world.encoder(x)  #! slow
    z = world.dynamics(z)  #! slow
