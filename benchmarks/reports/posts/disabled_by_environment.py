# the environment switches compilation off before torch is imported
import os

os.environ["TORCHDYNAMO_DISABLE"] = "1"  #! slow

import torch
from torch import nn

model = torch.compile(nn.Linear(4, 1), backend="eager")  #! slow
for _ in range(3):
    model(torch.randn(4, 4)).mean().backward()
