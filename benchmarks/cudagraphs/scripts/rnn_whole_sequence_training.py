import torch
from torch import nn
class Rnn(nn.Module):
    def __init__(self, d=64):
        super().__init__()
        self.i, self.h = nn.Linear(d, d), nn.Linear(d, d)

    def forward(self, xs):
        h = torch.zeros_like(xs[0])
        for x in xs:
            h = torch.tanh(self.i(x) + self.h(h))
        return h


net = torch.compile(Rnn().cuda(), mode="reduce-overhead")
opt = torch.optim.Adam(net.parameters())
for step in range(5):
    h = net(torch.randn(4, 8, 64, device="cuda"))
    h.pow(2).mean().backward()
    opt.step()
    opt.zero_grad()
print(h.sum().item())
