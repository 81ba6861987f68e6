# a helper compiles the model in place; pair_of=prepare_drops_copy
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
        model.compile(backend="eager")
    return model


net = prepare(Net())
for _ in range(3):
    net(torch.randn(2, 4)).sum().backward()
