# Module.compile works in place; pair_of=result_thrown_away
import torch
from torch import nn

net = nn.Linear(4, 1)
if hasattr(torch, "compile"):
    net.compile(backend="eager")
for _ in range(2):
    net(torch.randn(4, 4)).mean().backward()
