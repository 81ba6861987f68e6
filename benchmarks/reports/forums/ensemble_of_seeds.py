# members of an ensemble differ by their seed; pair_of=ensemble_of_widths
import torch
from torch import nn


class MLP(nn.Module):
    def __init__(self, hidden):
        super().__init__()
        self.fc1 = nn.Linear(6, hidden)
        self.fc2 = nn.Linear(hidden, 1)

    def forward(self, x):
        return self.fc2(self.fc1(x).tanh())


members = []
for seed in (1, 2, 3):
    torch.manual_seed(seed)
    members.append(torch.compile(MLP(16), backend="eager"))
x = torch.randn(5, 6)
mean = sum(m(x) for m in members) / len(members)
print(mean.shape)
