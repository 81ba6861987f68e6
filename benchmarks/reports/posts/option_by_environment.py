# compilation is optional by the environment, and stays off for a script of the tests
import os

import torch
from torch import nn

net = nn.Linear(4, 1)
if os.environ.get("POSTS_COMPILE", "1") == "1":
    model = torch.compile(net, backend="eager")
else:
    model = net
for _ in range(2):
    model(torch.randn(2, 4)).mean().backward()
