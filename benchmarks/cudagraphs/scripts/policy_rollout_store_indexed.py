import torch
from torch import nn
policy = torch.compile(nn.Sequential(nn.Linear(8, 64), nn.Tanh(), nn.Linear(64, 2)).cuda().eval(), mode="reduce-overhead")
obs, acts = torch.randn(16, 8, device="cuda"), torch.zeros(8, 16, 2, device="cuda")
with torch.no_grad():
    for t in range(8):
        act = policy(obs)
        acts[t] = act
        obs = obs + 0.1 * act.repeat(1, 4)
print(acts.mean().item())
