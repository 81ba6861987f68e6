# fullgraph, and the scale of a tensor of the module is read on the host inside, which is captured
import torch
from torch import nn

net = nn.Linear(4, 1)
scale = torch.tensor(128.0)


@torch.compile(fullgraph=True, backend="eager")
def scaled(x):
    factor = float(scale)
    return net(x).mean() * factor


scaled(torch.randn(2, 4)).backward()
