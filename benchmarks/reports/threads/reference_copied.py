# the reference is a frozen copy of its own; pair_of=adapter_switched_off
import copy

import torch
from torch import nn


class Policy(nn.Module):
    def __init__(self):
        super().__init__()
        self.base = nn.Linear(4, 4)

    def forward(self, x):
        return self.base(x)


policy = Policy()
reference = copy.deepcopy(policy).eval().requires_grad_(False)
step = torch.compile(policy, backend="eager")
for _ in range(3):
    x = torch.randn(2, 4)
    out = step(x)
    with torch.no_grad():
        ref = reference(x)
    (out - ref).pow(2).mean().backward()
