# a text that names the task differs from call to call
import torch
from torch import nn


class TwoHeads(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(8, 8)
        self.heads = nn.ModuleDict({"depth": nn.Linear(8, 1), "normal": nn.Linear(8, 3)})

    def forward(self, x, task):
        return self.heads[task](self.body(x))


model = torch.compile(TwoHeads(), backend="eager")
x = torch.randn(2, 8)
losses = []
for task in ["depth", "normal"]:
    losses.append(model(x, task).sum())  #! recompile input
