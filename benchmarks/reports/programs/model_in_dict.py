# models of a dictionary are compiled in a comprehension
import torch
from torch import nn


class Expert(nn.Module):
    def __init__(self, act):
        super().__init__()
        self.act = act
        self.lin = nn.Linear(4, 4)

    def forward(self, x):
        y = self.lin(x)
        return y.relu() if self.act == "relu" else y.tanh()


experts = {name: Expert(name) for name in ("relu", "tanh")}
experts = {k: torch.compile(m, backend="eager") for k, m in experts.items()}  #! recompile instance
x = torch.randn(2, 4)
for name in experts:
    experts[name](x)  #! recompile instance
