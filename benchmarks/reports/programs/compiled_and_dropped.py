# the compiled copy is dropped, the plain one trained
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(4, 4)

    def forward(self, x):
        return self.lin(x)


def prepare(model):
    compiled = torch.compile(model, backend="eager")  #! slow
    return model


net = prepare(Net())
net(torch.randn(2, 4))
