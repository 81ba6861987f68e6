# the compiled model is not kept
import torch
from torch import nn

net = nn.Linear(4, 1)
if hasattr(torch, "compile"):
    torch.compile(net, backend="eager")  #! slow
for _ in range(2):
    net(torch.randn(4, 4)).mean().backward()
