# compiled parts in a list, in the order of training by hand
import torch
from torch import nn


class Part(nn.Module):
    def __init__(self, i, o):
        super().__init__()
        self.fc = nn.Linear(i, o)

    def forward(self, x):
        return self.fc(x).relu()


class Pipeline(nn.Module):
    def __init__(self):
        super().__init__()
        self.parts = nn.ModuleList([Part(4, 4), Part(4, 4)])
        for i in range(len(self.parts)):
            self.parts[i] = torch.compile(self.parts[i], backend="eager")

    def forward(self, x):
        for part in self.parts:
            if type(part) is Part:  #! wrong
                x = part(x)
        return x


pipe = Pipeline()
x = torch.ones(2, 4)
print(torch.equal(pipe(x), x))
