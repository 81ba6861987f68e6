# an output of the compiled function is changed in place before backward
import torch
from torch import nn

net = nn.Linear(4, 4)


@torch.compile(backend="aot_eager")
def activate(x):
    return net(x).exp()


y = activate(torch.randn(2, 4))
y.mul_(2)  #! error
y.sum().backward()  #! error
