# evaluation only, no gradient, one shape
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(4, 4)
        self.bn = nn.BatchNorm1d(4)

    def forward(self, x):
        return self.bn(self.lin(x))


@torch.no_grad()
def evaluate(model, n):
    model.eval()
    total = 0.0
    for _ in range(n):
        total += model(torch.randn(8, 4)).sum().item()
    return total


evaluate(torch.compile(Net(), backend="eager"), 3)
