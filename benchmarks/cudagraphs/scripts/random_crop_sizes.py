import torch
from torch import nn
import random

net = torch.compile(nn.Sequential(nn.Conv2d(3, 8, 3), nn.ReLU(), nn.AdaptiveAvgPool2d(1)).cuda().eval(), mode="reduce-overhead")
with torch.no_grad():
    for _ in range(12):
        s = random.choice(range(24, 64, 4))
        print(net(torch.randn(1, 3, s, s, device="cuda")).mean().item())
