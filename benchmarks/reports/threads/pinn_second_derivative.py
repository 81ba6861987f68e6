# the residual of a network needs the second derivative
import torch
from torch import nn


class Mlp(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(1, 8), nn.Tanh(), nn.Linear(8, 1))

    def forward(self, x):
        return self.net(x)


def residual(model, x):
    u = model(x)
    u_x = torch.autograd.grad(u, x, torch.ones_like(u), create_graph=True)[0]  #! error
    u_xx = torch.autograd.grad(u_x, x, torch.ones_like(u_x), create_graph=True)[0]  #! error
    return u_xx + u


model = torch.compile(Mlp(), backend="aot_eager")
opt = torch.optim.Adam(model.parameters())
for _ in range(2):
    x = torch.rand(16, 1, requires_grad=True)
    loss = residual(model, x).pow(2).mean()
    opt.zero_grad()
    loss.backward()  #! error
    opt.step()
