# a helper asks for the type of the model
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(4, 4)

    def forward(self, x):
        return self.lin(x)


def learning_rate(model):
    if type(model) is Net:  #! wrong
        return 0.1
    return 0.01


net = torch.compile(Net(), backend="eager")
net(torch.ones(1, 4))
print(learning_rate(net))
