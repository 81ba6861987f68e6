# the loss of a model is looked up by the name of its class
import torch
import torch.nn.functional as F
from torch import nn


class Classifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 3)

    def forward(self, x):
        return self.fc(x)


class Regressor(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 1)

    def forward(self, x):
        return self.fc(x)


LOSSES = {"Classifier": F.cross_entropy, "Regressor": F.mse_loss}


def fit(model, x, y):
    loss = LOSSES[model.__class__.__name__](model(x), y)  #! error
    loss.backward()


fit(torch.compile(Classifier(), backend="eager"), torch.randn(4, 4), torch.randint(0, 3, (4,)))  #! error
