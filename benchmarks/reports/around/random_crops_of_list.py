# crops of sizes that a generator draws
import random

import torch
from torch import nn

random.seed(0)
net = torch.compile(nn.Conv2d(3, 4, 3), backend="eager")
image = torch.randn(1, 3, 32, 32)
for _ in range(6):
    size = random.choice([16, 20, 24])
    net(image[:, :, :size, :size])  #! recompile input
