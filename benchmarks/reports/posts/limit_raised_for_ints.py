# the limit was raised in place of a marked length
import torch
import torch._dynamo
from torch import nn

torch._dynamo.config.recompile_limit = 64
model = torch.compile(nn.Linear(4, 1), dynamic=False, backend="eager")
for n in range(2, 14):
    model(torch.randn(n, 4))  #! recompile input
