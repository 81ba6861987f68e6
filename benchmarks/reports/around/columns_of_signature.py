# columns are kept that the signature of the model names
import inspect

import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(4, 4)

    def forward(self, x):
        return self.lin(x)


net = torch.compile(Net(), backend="eager")
names = set(inspect.signature(type(net).forward).parameters)  #! error
row = {"x": torch.ones(1, 4), "id": 3}
net(**{k: v for k, v in row.items() if k in names})  #! error
