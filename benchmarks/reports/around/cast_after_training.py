# the model is cast for evaluation
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(4, 4)

    def forward(self, x):
        return self.lin(x)


net = Net()
fast = torch.compile(net, backend="eager")
fast(torch.randn(2, 4)).mean().backward()  #! recompile state
net.to(torch.bfloat16)  #! recompile state
fast(torch.randn(2, 4, dtype=torch.bfloat16))  #! recompile state
