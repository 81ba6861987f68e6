# the bound forward is compiled, the module keeps its parameters; pair_of=compiled_forward_as_module
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 2)

    def forward(self, x):
        return self.fc(x)


net = Net()
step = torch.compile(net.forward, backend="eager")
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for _ in range(2):
    opt.zero_grad()
    step(torch.randn(2, 4)).sum().backward()
    opt.step()
