import torch
from torch import nn


class Energy(nn.Module):
    """Forces as the negative gradient of an energy to the positions."""

    def __init__(self) -> None:
        super().__init__()
        self.net = nn.Sequential(nn.Linear(3, 16), nn.Tanh(), nn.Linear(16, 1))

    def forward(self, pos):
        pos = pos.detach().clone()
        pos.requires_grad_(True)
        energy = self.net(pos).sum()
        (grad,) = torch.autograd.grad(energy, pos)
        return energy.detach(), -grad.detach()


def build():
    return Energy()


def sample():
    return (torch.randn(5, 3),)
