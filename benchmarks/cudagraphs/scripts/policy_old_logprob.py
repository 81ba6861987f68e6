import torch
from torch import nn
policy = torch.compile(nn.Linear(8, 4).cuda(), mode="reduce-overhead")
opt = torch.optim.Adam(policy.parameters())
for update in range(5):
    obs = torch.randn(32, 8, device="cuda")
    with torch.no_grad():
        old = policy(obs).log_softmax(-1)
    for epoch in range(2):
        ratio = (policy(obs).log_softmax(-1) - old).exp()
        loss = -ratio.mean()
        loss.backward()
        opt.step()
        opt.zero_grad()
print(loss.item())
