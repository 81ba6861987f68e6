# a compiled model is traced for deployment
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def forward(self, x):
        return self.fc(x)


model = torch.compile(Net().eval(), backend="eager")
x = torch.randn(2, 4)
with torch.no_grad():
    model(x)
    scripted = torch.jit.trace(model, x)  #! error
print(scripted(x).shape)
