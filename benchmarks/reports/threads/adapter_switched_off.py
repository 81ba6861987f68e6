# a context manager switches an adapter off for the reference pass
from contextlib import contextmanager

import torch
from torch import nn


class LoraLinear(nn.Module):
    def __init__(self):
        super().__init__()
        self.base = nn.Linear(4, 4)
        self.a = nn.Linear(4, 2, bias=False)
        self.b = nn.Linear(2, 4, bias=False)
        self.enabled = True

    def forward(self, x):
        y = self.base(x)
        if self.enabled:  #! recompile state
            y = y + self.b(self.a(x))
        return y

    @contextmanager
    def disabled(self):
        self.enabled = False  #! recompile state
        try:
            yield
        finally:
            self.enabled = True  #! recompile state


policy = LoraLinear()
step = torch.compile(policy, backend="eager")
for _ in range(3):
    x = torch.randn(2, 4)
    out = step(x)
    with policy.disabled(), torch.no_grad():  #! recompile state
        ref = step(x)  #! recompile state
    (out - ref).pow(2).mean().backward()
