# the head is called on one level; pair_of=levels_of_pyramid
import torch
from torch import nn

head = torch.compile(nn.Conv2d(4, 2, 1), backend="eager")
pyramid = [torch.randn(1, 4, 16, 16) for i in range(3)]
outs = [head(level) for level in pyramid]
sum(o.mean() for o in outs).backward()
