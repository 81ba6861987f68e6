import torch
from torch import nn

generator = nn.Sequential(nn.Linear(16, 64), nn.ReLU(), nn.Linear(64, 32)).cuda()
critic = nn.Sequential(nn.Linear(32, 64), nn.LeakyReLU(0.2), nn.Linear(64, 1)).cuda()
g = torch.compile(generator, mode="reduce-overhead")
c = torch.compile(critic, mode="reduce-overhead")
opt_g = torch.optim.RMSprop(generator.parameters(), 5e-5)
opt_c = torch.optim.RMSprop(critic.parameters(), 5e-5)
for it in range(4):
    for _ in range(3):
        real = torch.randn(16, 32, device="cuda")
        with torch.no_grad():
            fake = g(torch.randn(16, 16, device="cuda"))
        loss_c = c(fake).mean() - c(real).mean()
        opt_c.zero_grad()
        loss_c.backward()
        opt_c.step()
        with torch.no_grad():
            for p in critic.parameters():
                p.clamp_(-0.01, 0.01)
    loss_g = -c(g(torch.randn(16, 16, device="cuda"))).mean()
    opt_g.zero_grad()
    loss_g.backward()
    opt_g.step()
