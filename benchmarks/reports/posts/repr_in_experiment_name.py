# the name of an experiment is made of the model's class
import torch
from torch import nn


class TinyNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def forward(self, x):
        return self.fc(x)


class Run:
    def __init__(self, model):
        self.model = model

    @property
    def name(self):
        return f"{self.model._get_name().lower()}-{sum(p.numel() for p in self.model.parameters())}"  #! wrong


run = Run(torch.compile(TinyNet(), backend="eager"))  #! wrong
run.model(torch.randn(2, 4))
print(run.name)  #! wrong
