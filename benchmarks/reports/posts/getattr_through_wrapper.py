# an attribute and a method that only describes are used through the wrapper
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.width = width
        self.fc = nn.Linear(width, width)

    def forward(self, x):
        return self.fc(x)

    def describe(self):
        return f"width {self.width}"


model = torch.compile(Net(4), backend="eager")
for _ in range(2):
    model(torch.randn(2, model.width))
print(model.describe())
