# the best weights are kept and restored in place
import copy

import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 1)

    def forward(self, x):
        return self.fc(x)


net = Net()
compiled = torch.compile(net, backend="eager")
best, best_state = float("inf"), None
for epoch in range(3):
    loss = compiled(torch.randn(8, 4)).pow(2).mean().item()
    if loss < best:
        best, best_state = loss, copy.deepcopy(net.state_dict())
net.load_state_dict(best_state)
compiled(torch.randn(8, 4))
