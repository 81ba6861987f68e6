# the bound forward is compiled and then used as if it were the module
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 2)

    def forward(self, x):
        return self.fc(x)


net = Net()
model = torch.compile(net.forward, backend="eager")
opt = torch.optim.SGD(model.parameters(), lr=0.1)  #! error
model(torch.randn(2, 4)).sum().backward()
opt.step()
