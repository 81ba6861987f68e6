# the size is marked inside of compiled code
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(4, 4)

    def forward(self, x):
        torch._dynamo.mark_dynamic(x, 0)  #! error
        return self.lin(x)


net = torch.compile(Net(), backend="eager")
net(torch.randn(2, 4))
