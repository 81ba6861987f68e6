# forward of a model that is compiled in place is called by its name
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(4, 4)

    def forward(self, x):
        return self.lin(x).relu()


net = Net()
net.compile(backend="eager")  #! slow
for _ in range(3):
    net.forward(torch.randn(2, 4))  #! slow
