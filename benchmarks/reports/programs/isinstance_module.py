# a test for nn.Module, which holds
import torch
from torch import nn


class Vit(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(4, 4)

    def forward(self, x):
        return self.lin(x)


def count(model):
    assert isinstance(model, nn.Module)
    return sum(p.numel() for p in model.parameters())


vit = torch.compile(Vit(), backend="eager")
vit(torch.randn(1, 4))
print(count(vit))
