# a boolean argument of the training loop
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(4, 4)

    def forward(self, x, return_features=False):
        h = self.lin(x)
        return (h, x) if return_features else h


net = torch.compile(Net(), backend="eager")
x = torch.randn(2, 4)
for step in range(10):
    log = step % 5 == 0
    net(x, return_features=log)  #! recompile input
