# a Sequential is asked for by isinstance after compiling
import torch
from torch import nn


def describe(model):
    if isinstance(model, nn.Sequential):  #! wrong
        return "stack"
    return "single"


model = nn.Sequential(nn.Linear(4, 4), nn.ReLU())
model = torch.compile(model, backend="eager")
model(torch.randn(2, 4))
print(describe(model))
