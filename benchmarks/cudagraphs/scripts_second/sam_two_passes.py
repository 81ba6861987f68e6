import torch
import torch.nn.functional as F
from torch import nn


class SAM:
    def __init__(self, params, rho=0.05):
        self.params = list(params)
        self.base = torch.optim.SGD(self.params, lr=0.1, momentum=0.9)
        self.rho = rho
        self.moved = []

    @torch.no_grad()
    def ascend(self):
        norm = torch.stack([p.grad.norm() for p in self.params]).norm()
        self.moved = [p.grad * (self.rho / (norm + 1e-12)) for p in self.params]
        for p, e in zip(self.params, self.moved):
            p.add_(e)
        self.base.zero_grad()

    @torch.no_grad()
    def descend(self):
        for p, e in zip(self.params, self.moved):
            p.sub_(e)
        self.base.step()
        self.base.zero_grad()


net = nn.Sequential(nn.Conv2d(3, 16, 3, 2), nn.ReLU(), nn.Flatten(), nn.Linear(16 * 49, 10)).cuda()
model = torch.compile(net, mode="reduce-overhead")
sam = SAM(net.parameters())
for _ in range(5):
    x, y = torch.randn(8, 3, 16, 16, device="cuda"), torch.randint(0, 10, (8,), device="cuda")
    F.cross_entropy(model(x), y).backward()
    sam.ascend()
    F.cross_entropy(model(x), y).backward()
    sam.descend()
