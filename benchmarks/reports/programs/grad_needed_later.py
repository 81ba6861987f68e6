# the same input first without and then with a gradient
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(4, 4)

    def forward(self, x):
        return self.lin(x).tanh()


net = torch.compile(Net(), backend="eager")
x = torch.randn(2, 4)
net(x)  #! recompile input
x = torch.randn(2, 4, requires_grad=True)
net(x).sum().backward()  #! recompile input
