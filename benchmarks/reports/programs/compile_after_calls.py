# the model is called first and compiled at the end
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(4, 4)

    def forward(self, x):
        return self.lin(x)


net = Net()
x = torch.randn(2, 4)
for _ in range(3):
    net(x)
net = torch.compile(net, backend="eager")  #! slow
print(sum(p.numel() for p in net.parameters()))
