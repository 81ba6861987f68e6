import torch
from torch import nn
net = torch.compile(nn.Sequential(nn.Linear(64, 256), nn.Dropout(0.1), nn.ReLU(), nn.Linear(256, 64)).cuda(), mode="reduce-overhead")
opt = torch.optim.AdamW(net.parameters())
for _ in range(6):
    x = torch.randn(16, 64, device="cuda")
    (net(x) - x).abs().mean().backward()
    opt.step()
    opt.zero_grad()
