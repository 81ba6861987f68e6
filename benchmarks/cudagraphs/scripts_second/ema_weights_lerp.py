import copy

import torch
from torch import nn

net = nn.Sequential(nn.Conv2d(3, 16, 3, padding=1), nn.SiLU(), nn.Conv2d(16, 3, 3, padding=1)).cuda()
ema = copy.deepcopy(net).requires_grad_(False)
model = torch.compile(net, mode="reduce-overhead")
opt = torch.optim.AdamW(net.parameters(), 1e-3)
for _ in range(6):
    x = torch.randn(4, 3, 16, 16, device="cuda")
    loss = (model(x) - x).square().mean()
    loss.backward()
    opt.step()
    opt.zero_grad()
    with torch.no_grad():
        for a, b in zip(ema.parameters(), net.parameters()):
            a.lerp_(b, 0.01)
print(ema(x).mean().item())
