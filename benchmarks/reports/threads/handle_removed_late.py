# a forward hook is removed after the first compiled call
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def forward(self, x):
        return self.fc(x)


net = Net()
nn.init.ones_(net.fc.weight)
nn.init.zeros_(net.fc.bias)
handle = net.fc.register_forward_hook(lambda m, a, out: out * 0)
model = torch.compile(net, backend="eager")
x = torch.ones(1, 4)
print(model(x).sum().item())
handle.remove()  #! recompile state
print(model(x).sum().item())
