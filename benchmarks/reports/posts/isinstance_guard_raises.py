# an exporter refuses a model that is not of its class
import torch
from torch import nn


class Detector(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def forward(self, x):
        return self.fc(x)


def export(model):
    if type(model) not in (Detector,):  #! error
        raise TypeError(f"cannot export {type(model).__name__}")  #! error
    return model.state_dict()


model = torch.compile(Detector(), backend="eager")
model(torch.randn(2, 4))
export(model)  #! error
