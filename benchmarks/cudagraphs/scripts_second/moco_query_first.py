import copy

import torch
import torch.nn.functional as F
from torch import nn

query = nn.Sequential(nn.Linear(32, 64), nn.ReLU(), nn.Linear(64, 16)).cuda()
key = copy.deepcopy(query).requires_grad_(False)
query_c, key_c = torch.compile(query, mode="reduce-overhead"), torch.compile(key, mode="reduce-overhead")
queue = F.normalize(torch.randn(16, 64, device="cuda"), dim=0)
opt = torch.optim.SGD(query.parameters(), 0.03)
at = 0
for _ in range(6):
    x = torch.randn(8, 32, device="cuda")
    q = F.normalize(query_c(x + 0.1 * torch.randn_like(x)), dim=1)
    with torch.no_grad():
        for b, a in zip(key.parameters(), query.parameters()):
            b.mul_(0.99).add_(a, alpha=0.01)
        k = F.normalize(key_c(x + 0.1 * torch.randn_like(x)), dim=1)
    logits = torch.cat([(q * k).sum(1, keepdim=True), q @ queue.clone()], 1)
    loss = F.cross_entropy(logits / 0.07, torch.zeros(8, dtype=torch.long, device="cuda"))
    opt.zero_grad()
    loss.backward()
    opt.step()
    queue[:, at : at + 8] = k.t()
    at = (at + 8) % 64
