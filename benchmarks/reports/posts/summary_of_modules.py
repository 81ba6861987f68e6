# a summary lists the names of the modules
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = nn.Linear(4, 4)
        self.head = nn.Linear(4, 2)

    def forward(self, x):
        return self.head(self.encoder(x))


def summary(model):
    for name, module in model.named_modules():  #! wrong
        if name and "." not in name:  #! wrong
            print(name, sum(p.numel() for p in module.parameters()))  #! wrong


model = torch.compile(Net(), backend="eager")
model(torch.randn(1, 4))
summary(model)  #! wrong
