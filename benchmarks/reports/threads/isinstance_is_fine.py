# isinstance accepts the wrapper as a Module; pair_of=assert_is_net
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
        if not isinstance(model, nn.Module):
            raise TypeError(f"expected a Module, got {type(model)}")
        self.model = model

    def fit(self):
        self.model(torch.randn(2, 4)).sum().backward()


trainer = Trainer(torch.compile(MyNet(), backend="eager"))
trainer.fit()
