import torch
from torch import nn


class Denoiser(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Conv2d(6, 16, 3, padding=1), nn.Conv2d(16, 3, 3, padding=1)
        self.t = nn.Linear(1, 16)

    def forward(self, x, x0, t):
        h = self.a(torch.cat([x, x0], 1)) + self.t(t[:, None])[:, :, None, None]
        return self.b(torch.nn.functional.silu(h))


net = torch.compile(Denoiser().cuda().eval(), mode="reduce-overhead")


@torch.no_grad()
def sample(n, steps=6):
    x = torch.randn(n, 3, 16, 16, device="cuda")
    x0 = torch.zeros_like(x)
    for i in reversed(range(steps)):
        t = torch.full((n,), i / steps, device="cuda")
        x0 = net(x, x0, t)
        x = 0.9 * x + 0.1 * x0
    return x


print(sample(2).mean().item())
