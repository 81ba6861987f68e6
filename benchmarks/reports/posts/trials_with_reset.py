# the search resets between trials; pair_of=many_trials_one_function
import torch
from torch import nn


class MLP(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.a = nn.Linear(4, width)
        self.b = nn.Linear(width, 1)

    def forward(self, x):
        return self.b(self.a(x).relu())


def objective(width):
    torch.compiler.reset()
    model = torch.compile(MLP(width), backend="eager")
    return model(torch.randn(2, 4)).mean().item()


best = min(objective(width) for width in range(4, 16))
