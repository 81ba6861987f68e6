# parts are moved by the names of the direct children
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.low = nn.Linear(4, 4)
        self.high = nn.Linear(4, 4)

    def forward(self, x):
        return self.high(self.low(x))


PLACES = {"low": "cpu", "high": "cpu"}


def place(model):
    for name, child in model.named_children():
        child.to(PLACES[name])  #! error


model = torch.compile(Net(), backend="eager")
place(model)  #! error
model(torch.randn(2, 4))
