# the penalty stands in a helper that is given the critic
import torch
from torch import nn


class D(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(4, 8), nn.SiLU(), nn.Linear(8, 1))

    def forward(self, x):
        return self.net(x)


def gradient_penalty(d, real, fake):
    eps = torch.rand(real.size(0), 1)
    mixed = (eps * real + (1 - eps) * fake).requires_grad_(True)
    out = d(mixed)  #! recompile input
    (g,) = torch.autograd.grad(out, mixed, torch.ones_like(out), create_graph=True)  #! error
    return ((g.norm(2, dim=1) - 1) ** 2).mean()


def train():
    d = torch.compile(D(), backend="aot_eager")
    opt = torch.optim.Adam(d.parameters())
    real, fake = torch.randn(4, 4), torch.randn(4, 4)
    loss = d(fake).mean() - d(real).mean() + 10 * gradient_penalty(d, real, fake)  #! recompile input
    loss.backward()  #! error


train()
