# the class itself is decorated
import torch
from torch import nn


@torch.compile(backend="eager")
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def forward(self, x):
        return self.fc(x).relu()


net = Net()
for _ in range(2):
    net(torch.randn(2, 4))
