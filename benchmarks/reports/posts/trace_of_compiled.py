# a compiled model is traced for deployment
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 2)

    def forward(self, x):
        return self.fc(x)


model = torch.compile(Net().eval(), backend="eager")
scripted = torch.jit.script(model)  #! error
scripted(torch.randn(1, 4))
