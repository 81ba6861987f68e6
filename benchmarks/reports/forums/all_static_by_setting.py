# sizes never become symbols by a setting
import torch
from torch import nn

torch._dynamo.config.automatic_dynamic_shapes = False
model = torch.compile(nn.Linear(4, 4), backend="eager")
for length in range(3, 7):
    model(torch.randn(length, 4))  #! recompile input
