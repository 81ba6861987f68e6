# a data pipeline drops what the model does not take
import inspect

import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def forward(self, x, scale):
        return self.fc(x) * scale


def call(model, batch):
    names = inspect.signature(model.forward).parameters  #! error
    return model(**{k: v for k, v in batch.items() if k in names})  #! error


batch = {"x": torch.randn(2, 4), "scale": torch.ones(1), "path": "a.png"}
model = torch.compile(Net(), backend="eager")
call(model, batch)  #! error
