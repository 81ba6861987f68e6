# a helper compiles the model and returns the plain one
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def forward(self, x):
        return self.fc(x)


def prepare(model, use_compile=True):
    model.train()
    if use_compile:
        torch.compile(model, backend="eager")  #! slow
    return model


net = prepare(Net())
for _ in range(3):
    net(torch.randn(2, 4)).sum().backward()
