# crops at random places, of one size; pair_of=random_crops_of_list
import random

import torch
from torch import nn

random.seed(0)
net = torch.compile(nn.Conv2d(3, 4, 3), backend="eager")
image = torch.randn(1, 3, 32, 32)
for _ in range(6):
    top = random.randint(0, 15)
    net(image[:, :, top : top + 16, top : top + 16].contiguous())
