# the last batch is short
import torch
from torch import nn

BATCH = 4


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(6, 2)

    def forward(self, x):
        return self.lin(x)


data = torch.randn(10, 6)
net = torch.compile(Net(), backend="eager")
for start in range(0, len(data), BATCH):
    batch = data[start : start + BATCH]
    net(batch).sum().backward()  #! recompile input
