# a switch for debugging was left on
import torch
from torch import nn

DEBUG = True
model = torch.compile(nn.Linear(4, 1), disable=DEBUG, backend="eager")  #! slow
for _ in range(3):
    model(torch.randn(4, 4)).mean().backward()
