# episodes end after different numbers of steps
import torch
from torch import nn


class Value(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Linear(3, 1)

    def forward(self, obs):
        return self.net(obs).squeeze(-1)


value = torch.compile(Value(), backend="eager")


def episode(seed):
    torch.manual_seed(seed)
    rows = []
    while True:
        rows.append(torch.randn(3))
        if torch.rand(()) < 0.2 and len(rows) > 2:
            break
    return torch.stack(rows)


for seed in range(4):
    value(episode(seed))  #! recompile input
