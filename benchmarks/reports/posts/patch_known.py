# the patch names the setting as it is called; pair_of=patch_unknown
import torch
import torch._dynamo
from torch import nn

model = torch.compile(nn.Linear(4, 4), backend="eager")
with torch._dynamo.config.patch(recompile_limit=32):
    model(torch.randn(2, 4))
