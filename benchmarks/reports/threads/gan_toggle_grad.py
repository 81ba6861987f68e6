# the discriminator is frozen while the generator learns
import torch
import torch.nn.functional as F
from torch import nn


class D(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(4, 8), nn.LeakyReLU(0.2), nn.Linear(8, 1))

    def forward(self, x):
        return self.net(x)


def set_requires_grad(net, flag):
    for p in net.parameters():
        p.requires_grad = flag  #! recompile state


G = nn.Linear(2, 4)
critic = torch.compile(D(), backend="eager")
opt_g = torch.optim.Adam(G.parameters())
opt_d = torch.optim.Adam(critic.parameters())
for _ in range(3):
    real, z = torch.randn(8, 4), torch.randn(8, 2)
    set_requires_grad(critic, True)  #! recompile state
    d_loss = F.softplus(-critic(real)).mean() + F.softplus(critic(G(z).detach())).mean()
    opt_d.zero_grad()
    d_loss.backward()
    opt_d.step()
    set_requires_grad(critic, False)  #! recompile state
    g_loss = F.softplus(-critic(G(z))).mean()  #! recompile state
    opt_g.zero_grad()
    g_loss.backward()
    opt_g.step()
