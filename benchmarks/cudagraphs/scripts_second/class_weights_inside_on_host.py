import torch
import torch.nn.functional as F
from torch import nn


class Classifier(nn.Module):
    def __init__(self, counts):
        super().__init__()
        self.net = nn.Linear(16, 3)
        self.counts = torch.tensor(counts, dtype=torch.float)

    def forward(self, x, y):
        weight = (1.0 / self.counts).to(x.device)
        return F.cross_entropy(self.net(x), y, weight=weight)


net = Classifier([10, 20, 70]).cuda()
model = torch.compile(net, mode="reduce-overhead")
opt = torch.optim.SGD(net.parameters(), 0.1)
for _ in range(6):
    loss = model(torch.randn(32, 16, device="cuda"), torch.randint(0, 3, (32,), device="cuda"))
    opt.zero_grad()
    loss.backward()
    opt.step()
