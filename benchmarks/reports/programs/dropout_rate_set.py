# the rate of dropout is scheduled
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(4, 4)
        self.drop = nn.Dropout(0.1)

    def forward(self, x):
        return self.drop(self.lin(x))


net = torch.compile(Net(), backend="eager")
x = torch.randn(2, 4)
for epoch in range(3):
    net.drop.p = 0.1 * (epoch + 1)  #! recompile state
    net(x)  #! recompile state
