# members of an ensemble have hidden layers of other widths
import torch
from torch import nn


class MLP(nn.Module):
    def __init__(self, hidden):
        super().__init__()
        self.fc1 = nn.Linear(6, hidden)
        self.fc2 = nn.Linear(hidden, 1)

    def forward(self, x):
        return self.fc2(self.fc1(x).tanh())


members = [torch.compile(MLP(h), backend="eager") for h in (16, 32, 64)]  #! recompile instance
x = torch.randn(5, 6)
mean = sum(m(x) for m in members) / len(members)  #! recompile instance
print(mean.shape)
