# the head is replaced between stages by one of another size
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(4, 8)
        self.head = nn.Linear(8, 10)

    def forward(self, x):
        return self.head(self.body(x).relu())


net = Net()
fast = torch.compile(net, backend="eager")
x = torch.randn(2, 4)
fast(x)  #! recompile state
net.head = nn.Linear(8, 3)  #! recompile state
fast(x)  #! recompile state
