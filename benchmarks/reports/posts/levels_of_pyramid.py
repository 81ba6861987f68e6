# a head is called on every level of a pyramid
import torch
from torch import nn

head = torch.compile(nn.Conv2d(4, 2, 1), backend="eager")
pyramid = [torch.randn(1, 4, 16 // 2**i, 16 // 2**i) for i in range(3)]
outs = [head(level) for level in pyramid]  #! recompile input
sum(o.mean() for o in outs).backward()
