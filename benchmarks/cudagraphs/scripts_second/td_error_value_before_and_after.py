import torch
from torch import nn

critic = nn.Sequential(nn.Linear(8, 64), nn.Tanh(), nn.Linear(64, 1)).cuda()
value = torch.compile(critic, mode="reduce-overhead")
obs = torch.randn(16, 8, device="cuda")
total = 0.0
with torch.no_grad():
    v = value(obs)
    for _ in range(6):
        obs = torch.randn(16, 8, device="cuda")
        v_next = value(obs)
        delta = torch.rand(16, 1, device="cuda") + 0.99 * v_next - v
        total += delta.mean().item()
        v = v_next
print(total)
