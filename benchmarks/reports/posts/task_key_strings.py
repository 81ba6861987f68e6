# the task is named by a string and picks the head
import torch
from torch import nn


class MultiTask(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(4, 4)
        self.heads = nn.ModuleDict({"a": nn.Linear(4, 2), "b": nn.Linear(4, 2), "c": nn.Linear(4, 2)})

    def forward(self, x, task):
        return self.heads[task](self.body(x))  #! recompile input


model = torch.compile(MultiTask(), backend="eager")
for task in ("a", "b", "c"):
    model(torch.randn(2, 4), task).sum().backward()  #! recompile input
