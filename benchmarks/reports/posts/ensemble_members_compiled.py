# members of an ensemble have one width
import torch
from torch import nn


class Member(nn.Module):
    def __init__(self, seed):
        super().__init__()
        torch.manual_seed(seed)
        self.fc = nn.Linear(4, 1)

    def forward(self, x):
        return self.fc(x)


members = [torch.compile(Member(seed), backend="eager") for seed in range(3)]
x = torch.randn(2, 4)
with torch.no_grad():
    mean = torch.stack([m(x) for m in members]).mean(0)
