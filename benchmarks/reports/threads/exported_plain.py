# the plain model is exported and the compiled one trained
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def forward(self, x):
        return self.fc(x)


net = Net()
model = torch.compile(net, backend="eager")
for _ in range(2):
    model(torch.randn(2, 4)).sum().backward()
program = torch.export.export(net.eval(), (torch.randn(2, 4),))
print(program.module()(torch.randn(2, 4)).shape)
