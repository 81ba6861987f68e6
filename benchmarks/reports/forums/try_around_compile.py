# what compile may raise is caught, but the first call raises
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def forward(self, x):
        y = self.fc(x)
        if y.sum() > 0:  #! error
            return y
        return -y


model = Net()
try:
    model = torch.compile(model, backend="eager", fullgraph=True)
except Exception as e:
    print("compile is not available", e)
model(torch.randn(2, 4))
