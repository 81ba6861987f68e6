# a helper compiles its argument and gives nothing back
import torch
from torch import nn


def speed_up(model, enabled=True):
    if enabled:
        model = torch.compile(model, backend="eager")  #! slow


net = nn.Linear(4, 1)
speed_up(net)  #! slow
for _ in range(2):
    net(torch.randn(4, 4)).mean().backward()
