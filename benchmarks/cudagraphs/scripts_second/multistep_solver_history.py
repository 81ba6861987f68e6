import torch
from torch import nn

net = nn.Sequential(nn.Conv2d(4, 16, 3, padding=1), nn.SiLU(), nn.Conv2d(16, 4, 3, padding=1)).cuda().eval()
eps_model = torch.compile(net, mode="reduce-overhead")


class AdamsBashforth:
    def __init__(self):
        self.previous = None

    def step(self, eps, x, dt):
        used = eps if self.previous is None else 1.5 * eps - 0.5 * self.previous
        self.previous = eps
        return x - dt * used


solver = AdamsBashforth()
x = torch.randn(2, 4, 16, 16, device="cuda")
with torch.no_grad():
    for _ in range(8):
        x = solver.step(eps_model(x), x, 0.1)
print(x.std().item())
