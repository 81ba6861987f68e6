# stages of forward are timed by a dictionary of clocks
import time

import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(4, 4)
        self.b = nn.Linear(4, 4)
        self.times = {}

    def forward(self, x):
        t0 = time.time()  #! break
        x = self.a(x)
        self.times["a"] = time.time() - t0  #! break
        return self.b(x)


net = Net()
net.compile(backend="eager")
net(torch.randn(2, 4))
