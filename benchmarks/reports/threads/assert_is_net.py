# an assertion asks whether the model is of its class
import torch
from torch import nn


class MyNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def forward(self, x):
        return self.fc(x)


class Trainer:
    def __init__(self, model):
        assert type(model) is MyNet, f"expected MyNet, got {type(model)}"  #! error
        self.model = model

    def fit(self):
        self.model(torch.randn(2, 4)).sum().backward()


trainer = Trainer(torch.compile(MyNet(), backend="eager"))  #! error
trainer.fit()
