# the model is compiled in place, its names stay; pair_of=summary_of_modules
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = nn.Linear(4, 4)
        self.head = nn.Linear(4, 2)

    def forward(self, x):
        return self.head(self.encoder(x))


def summary(model):
    for name, module in model.named_modules():
        if name and "." not in name:
            print(name, sum(p.numel() for p in module.parameters()))


model = Net()
model.compile(backend="eager")
model(torch.randn(1, 4))
summary(model)
