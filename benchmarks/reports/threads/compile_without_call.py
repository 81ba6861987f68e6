# the method compile is named and not called
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def forward(self, x):
        return self.fc(x)


model = Net()
model.compile  #! slow
for _ in range(3):
    model(torch.randn(2, 4)).sum().backward()
