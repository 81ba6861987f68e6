# two losses go backward through one compiled call
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(4, 4)

    def forward(self, x):
        return torch.tanh(self.lin(x))


net = torch.compile(Net(), backend="aot_eager")
out = net(torch.randn(2, 4))
out.sum().backward(retain_graph=True)
out.mean().backward()
