# the first derivative alone, at inference; pair_of=pinn_second_derivative
import torch
from torch import nn


class Mlp(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(3, 8), nn.Tanh(), nn.Linear(8, 1))

    def forward(self, x):
        return self.net(x)


def forces(model, pos):
    energy = model(pos).sum()
    (grad,) = torch.autograd.grad(energy, pos)
    return -grad


model = torch.compile(Mlp(), backend="aot_eager")
for _ in range(2):
    pos = torch.rand(16, 3, requires_grad=True)
    print(forces(model, pos).shape)
