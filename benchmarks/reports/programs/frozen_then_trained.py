# the body is frozen first and trained later
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(4, 8)
        self.head = nn.Linear(8, 2)

    def forward(self, x):
        return self.head(self.body(x))


net = Net()
for p in net.body.parameters():
    p.requires_grad = False
fast = torch.compile(net, backend="eager")
x = torch.randn(2, 4)
fast(x).sum().backward()  #! recompile state
for p in net.body.parameters():
    p.requires_grad = True  #! recompile state
fast(x).sum().backward()  #! recompile state
