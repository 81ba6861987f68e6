# the class is given to torch.compile in place of an instance
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 2)

    def forward(self, x):
        return self.fc(x)


model = torch.compile(Net, backend="eager")()
for _ in range(2):
    model(torch.randn(2, 4))  #! slow
