import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(16, 64), nn.Tanh(), nn.Linear(64, 1))

    def forward(self, x):
        return self.body(x).square().mean()


net = Net().cuda()
fn = torch.compile(net, mode="reduce-overhead")
opt = torch.optim.Adam(net.parameters(), lr=1e-3)
previous = None
for i in range(6):
    opt.zero_grad()
    fn(torch.randn(32, 16, device="cuda")).backward()
    grads = [p.grad for p in net.parameters()]
    if previous is not None:
        agreement = sum(torch.sum(a * b) for a, b in zip(grads, previous))
        print(i, agreement.item())
    previous = grads
    opt.step()
