# sizes are symbols from the first call by a setting; pair_of=all_static_by_setting
import torch
from torch import nn

torch._dynamo.config.assume_static_by_default = False
model = torch.compile(nn.Linear(4, 4), backend="eager")
for length in range(3, 7):
    model(torch.randn(length, 4))
