# a helper asks for the class and compiles then
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 1)

    def forward(self, x):
        return self.fc(x)


def prepare(model):
    if type(model) is Net:
        nn.init.zeros_(model.fc.bias)
    return torch.compile(model, backend="eager")


model = prepare(Net())
for _ in range(2):
    model(torch.randn(2, 4)).mean().backward()
