# the name of the backend is misspelt
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def forward(self, x):
        return self.fc(x)


model = torch.compile(Net(), backend="indcutor")  #! error
model(torch.randn(2, 4))
