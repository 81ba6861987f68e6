# fullgraph with static shapes meets more sizes than the limit
import torch
from torch import nn

model = torch.compile(nn.Linear(4, 4), fullgraph=True, dynamic=False, backend="eager")
for size in range(2, 14):
    model(torch.randn(size, 4))  #! error, recompile input
