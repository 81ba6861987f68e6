# ints of modules are symbols by a switch
import torch
import torch._dynamo
from torch import nn

torch._dynamo.config.allow_unspec_int_on_nn_module = True


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(4, 4)
        self.k = 2

    def forward(self, x):
        return self.lin(x) * self.k


net = Net()
fast = torch.compile(net, backend="eager")
for k in (2, 3, 4, 5):
    net.k = k  #! recompile state
    fast(torch.randn(2, 4))  #! recompile state
