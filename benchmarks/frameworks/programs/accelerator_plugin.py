"""Accelerate, asked by a plugin."""

import torch
from accelerate import Accelerator
from accelerate.utils import TorchDynamoPlugin
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(4, 1)

    def forward(self, x):
        y = self.a(x)
        print("here")
        return y * 2


plugin = TorchDynamoPlugin(backend="eager", mode="default")
accelerator = Accelerator(dynamo_plugin=plugin, cpu=True)
model = accelerator.prepare(Net())
model(torch.randn(2, 4))
