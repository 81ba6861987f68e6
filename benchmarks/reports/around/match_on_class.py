# match by the class of the model
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(4, 4)

    def forward(self, x):
        return self.lin(x)


def kind(model):
    match model.__class__.__qualname__:
        case "Net":
            return "net"
        case other:
            return "other"


net = torch.compile(Net(), backend="eager")
net(torch.ones(1, 4))
print(kind(net))  #! wrong
