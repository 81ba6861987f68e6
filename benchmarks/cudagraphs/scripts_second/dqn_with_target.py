import copy
import random

import torch
import torch.nn.functional as F
from torch import nn

online = nn.Sequential(nn.Linear(8, 64), nn.ReLU(), nn.Linear(64, 4)).cuda()
target = copy.deepcopy(online)
q_online = torch.compile(online, mode="reduce-overhead")
q_target = torch.compile(target, mode="reduce-overhead")
opt = torch.optim.Adam(online.parameters(), 1e-3)
memory = []
state = torch.randn(8, device="cuda")
for step in range(12):
    with torch.no_grad():
        action = q_online(state[None]).argmax(-1).item() if random.random() > 0.1 else random.randrange(4)
    following = torch.randn(8, device="cuda")
    memory.append((state, action, random.random(), following))
    state = following
    if len(memory) < 8:
        continue
    batch = random.sample(memory, 8)
    s, s2 = torch.stack([b[0] for b in batch]), torch.stack([b[3] for b in batch])
    a = torch.tensor([b[1] for b in batch], device="cuda")[:, None]
    r = torch.tensor([b[2] for b in batch], device="cuda")
    with torch.no_grad():
        best = q_target(s2).max(1).values
    loss = F.smooth_l1_loss(q_online(s).gather(1, a).squeeze(1), r + 0.99 * best)
    opt.zero_grad()
    loss.backward()
    opt.step()
