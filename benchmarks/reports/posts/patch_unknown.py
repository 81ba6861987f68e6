# a patch of the configuration names a setting that is not there
import torch
import torch._dynamo
from torch import nn

model = torch.compile(nn.Linear(4, 4), backend="eager")
with torch._dynamo.config.patch(recompile_limits=32):  #! error
    model(torch.randn(2, 4))
