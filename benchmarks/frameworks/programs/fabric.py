"""Fabric, handed a compiled module."""

import torch
from lightning.fabric import Fabric
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(4, 1)

    def forward(self, x):
        y = self.a(x)
        print("here")
        return y * 2


fabric = Fabric(accelerator="cpu", devices=1)
model = torch.compile(Net(), backend="eager")
optimizer = torch.optim.SGD(model.parameters(), 0.1)
model, optimizer = fabric.setup(model, optimizer)
for _ in range(2):
    loss = model(torch.randn(2, 4)).sum()
    fabric.backward(loss)
    optimizer.step()
