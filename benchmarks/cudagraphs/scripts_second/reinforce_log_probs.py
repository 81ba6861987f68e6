import torch
import torch.nn.functional as F
from torch import nn

policy = nn.Sequential(nn.Linear(6, 32), nn.ReLU(), nn.Linear(32, 3)).cuda()
pi = torch.compile(policy, mode="reduce-overhead")
opt = torch.optim.Adam(policy.parameters(), 1e-3)
for episode in range(4):
    log_probs = []
    for t in range(5):
        logits = pi(torch.randn(4, 6, device="cuda"))
        dist = torch.distributions.Categorical(logits=logits)
        action = dist.sample()
        log_probs.append(dist.log_prob(action))
    loss = -(torch.stack(log_probs) * torch.randn(5, 4, device="cuda")).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
