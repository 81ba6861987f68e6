# the average is a deep copy of the compiled model
import copy

import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(4, 4)

    def forward(self, x):
        return self.lin(x)


net = torch.compile(Net(), backend="eager")
ema = copy.deepcopy(net)
net(torch.ones(1, 4))
with torch.no_grad():
    for a, b in zip(ema.parameters(), net.parameters()):
        a.lerp_(b, 0.1)
print(ema(torch.ones(1, 4)).shape)
