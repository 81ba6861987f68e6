import torch
from torch import nn
class Loss(nn.Module):
    def __init__(self):
        super().__init__()
        self.l = nn.Linear(64, 64)

    def forward(self, x, w):
        return (self.l(x) - x).pow(2).mean() * w


net = torch.compile(Loss().cuda(), mode="reduce-overhead")
opt = torch.optim.SGD(net.parameters(), lr=0.1)
weight = torch.tensor(0.5)
for _ in range(6):
    net(torch.randn(8, 64, device="cuda"), weight).backward()
    opt.step()
    opt.zero_grad()
