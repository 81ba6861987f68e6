# only what all tasks share is compiled; pair_of=task_key_strings
import torch
from torch import nn


class MultiTask(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = torch.compile(nn.Linear(4, 4), backend="eager")
        self.heads = nn.ModuleDict({"a": nn.Linear(4, 2), "b": nn.Linear(4, 2), "c": nn.Linear(4, 2)})

    def forward(self, x, task):
        return self.heads[task](self.body(x))


model = MultiTask()
for task in ("a", "b", "c"):
    model(torch.randn(2, 4), task).sum().backward()
