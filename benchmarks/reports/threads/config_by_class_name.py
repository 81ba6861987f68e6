# the learning rate is looked up by the name of the class
import torch
from torch import nn

RATES = {"Small": 1e-2, "Large": 1e-3}


class Small(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def forward(self, x):
        return self.fc(x)


class Large(Small):
    pass


def make_optimizer(model):
    lr = RATES[model.__class__.__name__]  #! error
    return torch.optim.SGD(model.parameters(), lr=lr)


net = torch.compile(Small(), backend="eager")
opt = make_optimizer(net)  #! error
net(torch.randn(2, 4)).sum().backward()
opt.step()
