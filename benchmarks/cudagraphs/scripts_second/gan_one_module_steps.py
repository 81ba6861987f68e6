import torch
import torch.nn.functional as F
from torch import nn


class GeneratorStep(nn.Module):
    def __init__(self, g, d):
        super().__init__()
        self.g, self.d = g, d

    def forward(self, z):
        return F.softplus(-self.d(self.g(z))).mean()


class CriticStep(nn.Module):
    def __init__(self, g, d):
        super().__init__()
        self.g, self.d = g, d

    def forward(self, z, real):
        with torch.no_grad():
            fake = self.g(z)
        return F.softplus(self.d(fake)).mean() + F.softplus(-self.d(real)).mean()


g = nn.Sequential(nn.Linear(16, 64), nn.ReLU(), nn.Linear(64, 32)).cuda()
d = nn.Sequential(nn.Linear(32, 64), nn.LeakyReLU(0.2), nn.Linear(64, 1)).cuda()
g_step = torch.compile(GeneratorStep(g, d), mode="reduce-overhead")
d_step = torch.compile(CriticStep(g, d), mode="reduce-overhead")
opt_g, opt_d = torch.optim.Adam(g.parameters(), 2e-4), torch.optim.Adam(d.parameters(), 2e-4)
for _ in range(6):
    opt_d.zero_grad()
    d_step(torch.randn(16, 16, device="cuda"), torch.randn(16, 32, device="cuda")).backward()
    opt_d.step()
    opt_g.zero_grad()
    g_step(torch.randn(16, 16, device="cuda")).backward()
    opt_g.step()
