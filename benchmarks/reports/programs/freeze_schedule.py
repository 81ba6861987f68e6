# a method of the model toggles a boolean
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(4, 4)
        self.frozen = False

    def freeze(self):
        self.frozen = True

    def forward(self, x):
        y = self.lin(x)
        return y.detach() if self.frozen else y


net = Net()
fast = torch.compile(net, backend="eager")
x = torch.randn(2, 4)
fast(x)  #! recompile state
net.freeze()  #! recompile state
fast(x)  #! recompile state
