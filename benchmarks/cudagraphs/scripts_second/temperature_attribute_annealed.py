import torch
import torch.nn.functional as F
from torch import nn


class Quantiser(nn.Module):
    def __init__(self):
        super().__init__()
        self.proj, self.codes = nn.Linear(16, 32), nn.Linear(32, 16)
        self.tau = 1.0

    def forward(self, x):
        return self.codes(F.softmax(self.proj(x) / self.tau, -1))


net = Quantiser().cuda()
model = torch.compile(net, mode="reduce-overhead")
opt = torch.optim.Adam(net.parameters(), 1e-3)
for step in range(10):
    net.tau = max(0.5, 0.95**step)
    x = torch.randn(16, 16, device="cuda")
    loss = F.mse_loss(model(x), x)
    opt.zero_grad()
    loss.backward()
    opt.step()
