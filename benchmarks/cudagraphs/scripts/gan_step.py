import torch
from torch import nn
class Net(nn.Module):
    def __init__(self, d=64):
        super().__init__()
        self.a, self.b = nn.Linear(d, 128), nn.Linear(128, d)

    def forward(self, x):
        return self.b(torch.relu(self.a(x)))



gen = torch.compile(Net().cuda(), mode="reduce-overhead")
disc = torch.compile(nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 1)).cuda(), mode="reduce-overhead")
og, od = torch.optim.Adam(gen.parameters()), torch.optim.Adam(disc.parameters())
for step in range(5):
    real = torch.randn(16, 64, device="cuda")
    fake = gen(torch.randn(16, 64, device="cuda"))
    d_loss = disc(fake.detach()).mean() - disc(real).mean()
    od.zero_grad()
    d_loss.backward()
    od.step()
    g_loss = -disc(fake).mean()
    og.zero_grad()
    g_loss.backward()
    og.step()
print(g_loss.item())
