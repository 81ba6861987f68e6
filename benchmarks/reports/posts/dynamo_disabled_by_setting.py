# compilation was switched off in the configuration
import torch
import torch._dynamo
from torch import nn

torch._dynamo.config.disable = True  #! slow
model = torch.compile(nn.Linear(4, 1), backend="eager")  #! slow
for _ in range(3):
    model(torch.randn(4, 4)).mean().backward()
