import copy

import torch
import torch.nn.functional as F
from torch import nn


def q():
    return nn.Sequential(nn.Linear(12, 64), nn.ReLU(), nn.Linear(64, 1))


class Twin(nn.Module):
    def __init__(self):
        super().__init__()
        self.q1, self.q2 = q(), q()

    def forward(self, s, a):
        x = torch.cat([s, a], -1)
        return self.q1(x), self.q2(x)


critics = Twin().cuda()
targets = copy.deepcopy(critics).requires_grad_(False)
actor = nn.Sequential(nn.Linear(8, 64), nn.ReLU(), nn.Linear(64, 4), nn.Tanh()).cuda()
critics_c, targets_c = (torch.compile(m, mode="reduce-overhead") for m in (critics, targets))
actor_c = torch.compile(actor, mode="reduce-overhead")
opt_q, opt_pi = torch.optim.Adam(critics.parameters(), 1e-3), torch.optim.Adam(actor.parameters(), 1e-3)
for _ in range(6):
    s, a, r, s2 = (torch.randn(32, n, device="cuda") for n in (8, 4, 1, 8))
    with torch.no_grad():
        a2 = actor_c(s2)
        y = r + 0.99 * torch.minimum(*targets_c(s2, a2))
    q1, q2 = critics_c(s, a)
    loss = F.mse_loss(q1, y) + F.mse_loss(q2, y)
    opt_q.zero_grad()
    loss.backward()
    opt_q.step()
    for t, p in zip(targets.parameters(), critics.parameters()):
        t.data.lerp_(p.data, 0.005)
