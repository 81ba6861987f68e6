# members of an ensemble are compiled into a list that is not used
import torch
from torch import nn

members = [nn.Linear(4, 1) for _ in range(3)]
fast = [torch.compile(m, backend="eager") for m in members]  #! slow
x = torch.randn(2, 4)
votes = torch.stack([m(x) for m in members]).mean(0)
