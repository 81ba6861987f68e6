# the batch is marked dynamic and the model asserts its size
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)
        self.state = nn.Parameter(torch.zeros(8, 4))

    def forward(self, x):
        return self.fc(x) + self.state


model = torch.compile(Net(), backend="eager")
x = torch.randn(8, 4)
torch._dynamo.mark_dynamic(x, 0)  #! error
model(x)  #! error
