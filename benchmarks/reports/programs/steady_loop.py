# every batch has one shape
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(4, 4)

    def forward(self, x):
        return self.lin(x)


net = torch.compile(Net(), backend="eager")
opt = torch.optim.SGD(net.parameters(), lr=0.1)
data = [torch.randn(8, 4) for _ in range(5)]
for epoch in range(2):
    for x in data:
        loss = net(x).square().mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
